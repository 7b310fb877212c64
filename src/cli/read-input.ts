import { TtError } from '../lib/errors.js'
import type { AnyInput, Invocation } from './command.js'
import type { Context } from './context.js'
import { type OptionGroup, ownOptionGroups } from './declaration.js'
import { type Choices, naming, type ValueSource } from './option-values.js'

/**
 * Returns the input of a command with the values that its declaration parses.
 *
 * Throws TtError `usage` for an invalid value, for a missing option, for options that cannot be used together, and for an
 * option without another one that it needs.
 */
export async function readInput(
  { command, input }: Pick<Invocation, 'command' | 'input'>,
  ctx: InputContext,
): Promise<AnyInput> {
  const declared = ownOptionGroups(command).flatMap((group) => group.options)
  const { args, options } = withChoices(input, command, declared)
  const canWriteFile = declared.some(({ flags }) => longName(flags) === '--output')
  for (const option of declared) {
    if (isGiven(options[keyOf(option.flags)])) checkCombination(option, { args, options }, ctx.nameOption)
    else if (option.required) throw missingError(option, ctx.nameOption)
  }
  const parse = async (values: AnyInput['args'], flag: string, key: string, details: object | string) => {
    const parser = typeof details === 'object' && 'parse' in details ? details.parse : undefined
    if (!parser || !(isGiven(values[key]) || Array.isArray(values[key]))) return
    const name = ctx.nameOption(flag)
    const source = valueSource(ctx, name, canWriteFile)
    let settingsError: unknown
    const settings = () =>
      source.settings().catch((error: unknown) => {
        settingsError = error
        throw error
      })
    try {
      values[key] = await (parser as Parser)(values[key], { ...source, settings })
    } catch (error) {
      throw error === settingsError ? error : naming(error, name)
    }
  }
  for (const [term, details] of Object.entries(command.args ?? {})) {
    try {
      await parse(args, nameOf(term), nameOf(term), details)
    } catch (error) {
      const taken = declared.find(({ flags }) => input.options[keyOf(flags)] !== options[keyOf(flags)])
      if (taken && typeof input.options[keyOf(taken.flags)] === 'string') {
        // The words after it are wrong, or it was meant as the word of the option.
        await parse({ ...input.args }, nameOf(term), nameOf(term), details)
        await parse({ ...input.options }, longName(taken.flags), keyOf(taken.flags), taken)
      }
      throw error
    }
  }
  for (const option of declared) await parse(options, longName(option.flags), keyOf(option.flags), option)
  return { args, options }
}

export interface InputContext extends Pick<Context, 'now' | 'nameOption'> {
  config: Pick<Context['config'], 'settings'>
  entries(): Promise<Pick<Awaited<ReturnType<Context['entries']>>, 'find'>>
}

/** Returns what parsers of the values of an option or argument need. */
export function valueSource(ctx: InputContext, name: string, canWriteFile = false): ValueSource {
  return {
    ...{ name, canWriteFile, now: ctx.now, settings: () => ctx.config.settings() },
    async lastEnd() {
      const { end, start } = await (await ctx.entries()).find('@1')
      return end ?? start
    },
  }
}

type DeclaredOption = OptionGroup['options'][number]

/**
 * Returns copies in which an option with an optional word has the first of its words without one. Any other text after it
 * begins the last argument, as in `--chart last week`, unless that cannot be used together with another option.
 */
function withChoices(
  input: AnyInput,
  { args: terms = {} }: Invocation['command'],
  declared: readonly DeclaredOption[],
): AnyInput {
  const [args, options] = [{ ...input.args }, { ...input.options }]
  const list = Object.keys(terms).find((term) => term.includes('...'))
  for (const { flags, parse } of declared) {
    const choices = parse && 'choices' in parse ? (parse as Choices).choices : undefined
    const [key, typed] = [keyOf(flags), options[keyOf(flags)]]
    if (!choices || !flags.includes('[') || !isGiven(typed)) continue
    if (typed === true) options[key] = choices[0]
    else if (list !== undefined && !choices.includes(String(typed).toLowerCase()) && !excludes(list)) {
      args[nameOf(list)] = [typed, ...(args[nameOf(list)] as unknown[])]
      options[key] = choices[0]
    }
  }
  return { args, options }

  function excludes(term: string): boolean {
    return declared.some((other) => isGiven(options[keyOf(other.flags)]) && other.conflicts?.includes(term))
  }
}

type Parser = (typed: unknown, source: ValueSource) => unknown

/** Checks the other options and arguments of an option. */
function checkCombination(
  option: DeclaredOption,
  { args, options }: AnyInput,
  nameOption: Context['nameOption'],
) {
  const { flags, conflicts = [], conflictReason } = option
  const name = nameOption(longName(flags))
  for (const conflict of conflicts) {
    const isOption = conflict.startsWith('--')
    const value = isOption ? options[keyOf(conflict)] : args[nameOf(conflict)]
    if (!isGiven(value)) continue
    const other = isOption ? nameOption(conflict) : `the ${nameOf(conflict)} "${[value].flat().join(' ')}"`
    throw conflictReason === undefined
      ? new TtError('usage', `${name} and ${other} cannot be used together.`, { hint: 'Use one of them.' })
      : new TtError('usage', `${name} cannot be used together with ${other}: ${conflictReason}.`, {
          hint: `Omit ${other} or ${name}.`,
        })
  }
  if (option.needs === undefined || isGiven(options[keyOf(option.needs)])) return
  const needs = nameOption(option.needs)
  throw new TtError('usage', `${name} requires ${needs}.`, { hint: `Add ${needs}, or omit ${name}.` })
}

function missingError({ flags, repeatable }: DeclaredOption, nameOption: Context['nameOption']): TtError {
  const option = flags.replace(/^.*?(--[\w-]+)/, (_, flag: string) => nameOption(flag))
  return new TtError('usage', `Missing required option ${option}.`, {
    hint: `Add ${option}${repeatable ? ', once or several times' : ''}.`,
  })
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
