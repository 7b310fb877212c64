import type { AnyInput, Invocation } from '../commands/shared/command.js'
import { TtError } from '../lib/errors.js'
import type { ArgumentDetails, OptionDetails } from '../program/declaration.js'
import type { Context } from './context.js'
import type { ValueSource } from './option-values.js'

/** An option or an argument that was typed. */
interface Typed {
  /** Its name in the messages of its parser. */
  name: string
  /** Its name in other messages: `--pick`, or `the entry "@1"`. */
  title: string
  /** The values of the options or of the arguments, and its key there. */
  values: AnyInput['args']
  key: string
  details: OptionDetails & ArgumentDetails
}

/**
 * Returns the input of a command with the values that its declaration parses.
 *
 * Throws TtError `usage` for an invalid value, for options that cannot be used together, and for an option without another
 * one that it needs.
 */
export async function readInput(
  { command, input }: Invocation,
  ctx: Pick<Context, 'now' | 'config'>,
): Promise<AnyInput> {
  const [args, options] = [{ ...input.args }, { ...input.options }]
  const typed = new Map<string, Typed>()
  for (const [term, details] of Object.entries(command.args ?? {})) {
    const name = term.replace(/[<>[\].]/g, '')
    const words = [args[name] ?? []].flat()
    if (words.length === 0 || typeof details === 'string') continue
    typed.set(term, { name, title: `the ${name} "${words.join(' ')}"`, values: args, key: name, details })
  }
  for (const [flags, details] of optionsOf(command)) {
    const [name = ''] = /--[\w-]+/.exec(flags) ?? []
    const key = name.replace(/^--(no-)?/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    if (options[key] === undefined || options[key] === false) continue
    const described = typeof details === 'string' ? { description: details } : details
    typed.set(name, { name, title: name, values: options, key, details: described })
  }
  for (const each of typed.values()) checkCombination(each, typed)
  const settings = () => ctx.config.settings()
  for (const { name, values, key, details } of typed.values()) {
    const parse = details.parse as ((typed: unknown, source: ValueSource) => unknown) | undefined
    if (parse) values[key] = await parse(values[key], { name, now: ctx.now, settings })
  }
  return { args, options }
}

function optionsOf({ options = {}, optionGroups = {} }: Invocation['command']) {
  return [options, ...Object.values(optionGroups)].flatMap((set) => Object.entries(set))
}

/** Checks which other options and arguments were typed. */
function checkCombination({ title, details }: Typed, typed: ReadonlyMap<string, Typed>) {
  const { conflicts = [], conflictReason, needs } = details
  const other = conflicts.map((name) => typed.get(name)?.title).find((each) => each !== undefined)
  if (other !== undefined) {
    throw conflictReason === undefined
      ? new TtError('usage', `${title} and ${other} cannot be used together.`, { hint: 'Use one of them.' })
      : new TtError('usage', `${title} cannot be used together with ${other}: ${conflictReason}.`, {
          hint: `Omit ${other} or ${title}.`,
        })
  }
  if (needs !== undefined && !typed.has(needs))
    throw new TtError('usage', `${title} requires ${needs}.`, { hint: `Add ${needs}, or omit ${title}.` })
}
