import { TtError } from '../../../lib/errors.js'
import { listText } from '../../../lib/text/list-text.js'

/** Parses a TCP port. Throws TtError `usage` for other text. */
export function parsePort(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text)
  throw new TtError('usage', `${option}: "${text}" is not a port.`, {
    hint: 'A port is a number from 0 (any free one) to 65535.',
  })
}

/** Parses whole seconds, at most an hour. Throws TtError `usage` for other text. */
export function parseSeconds(option: string, text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= 3600) return Number(text)
  throw new TtError('usage', `${option}: "${text}" is not a number of seconds.`, {
    hint: 'Enter a whole number from 0 to 3600.',
  })
}

/** Returns the choice that equals the text. Throws TtError `usage` for other text. */
export function parseChoice<Choice extends string>(
  option: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((name) => name === text.toLowerCase())
  if (choice !== undefined) return choice
  throw new TtError('usage', `${option}: "${text}" is not one of ${listText(choices)}.`)
}
