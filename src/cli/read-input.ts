import { TtError } from '../lib/errors.js'
import type { AnyInput, Invocation } from './command.js'
import type { Context } from './context.js'
import type { OptionDetails } from './declaration.js'
import type { ValueSource } from './option-values.js'

/**
 * Returns the input of a command with the values that its declaration parses.
 *
 * Throws TtError `usage` for an invalid value, for options that cannot be used together, and for an option without another
 * one that it needs.
 */
export async function readInput(
  { command, input }: Pick<Invocation, 'command' | 'input'>,
  ctx: Pick<Context, 'now' | 'config'>,
): Promise<AnyInput> {
  const [args, options] = [{ ...input.args }, { ...input.options }]
  const { options: main = {}, optionGroups = {} } = command
  const declared = [main, ...Object.values(optionGroups)].flatMap((set) => Object.entries(set))
  for (const [flags, details] of declared) {
    if (typeof details === 'object' && isGiven(options[keyOf(flags)]))
      checkCombination(longName(flags), details, input)
  }
  const settings = () => ctx.config.settings()
  const parse = async (values: AnyInput['args'], name: string, key: string, details: object | string) => {
    const parser = typeof details === 'object' && 'parse' in details ? details.parse : undefined
    if (parser && isGiven(values[key]))
      values[key] = await (parser as Parser)(values[key], { name, now: ctx.now, settings })
  }
  for (const [term, details] of Object.entries(command.args ?? {}))
    await parse(args, nameOf(term), nameOf(term), details)
  for (const [flags, details] of declared) await parse(options, longName(flags), keyOf(flags), details)
  return { args, options }
}

type Parser = (typed: unknown, source: ValueSource) => unknown

/** Checks the other options and arguments of an option. */
function checkCombination(name: string, details: OptionDetails, { args, options }: AnyInput) {
  const { conflicts = [], conflictReason, needs } = details
  for (const conflict of conflicts) {
    const isOption = conflict.startsWith('--')
    const value = isOption ? options[keyOf(conflict)] : args[nameOf(conflict)]
    if (!isGiven(value)) continue
    const other = isOption ? conflict : `the ${nameOf(conflict)} "${[value].flat().join(' ')}"`
    throw conflictReason === undefined
      ? new TtError('usage', `${name} and ${other} cannot be used together.`, { hint: 'Use one of them.' })
      : new TtError('usage', `${name} cannot be used together with ${other}: ${conflictReason}.`, {
          hint: `Omit ${other} or ${name}.`,
        })
  }
  if (needs !== undefined && !isGiven(options[keyOf(needs)]))
    throw new TtError('usage', `${name} requires ${needs}.`, { hint: `Add ${needs}, or omit ${name}.` })
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)
}

/** Returns `--notes` for `-n, --notes <text>`. */
export function longName(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags
}

/** Returns the key of the value of an option: `notBillable` for `--not-billable`. */
export function keyOf(flags: string): string {
  const name = longName(flags).replace(/^--(no-)?/, '')
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns `entry` for `[entry...]`. */
function nameOf(term: string): string {
  return term.replace(/[<>[\].]/g, '')
}
