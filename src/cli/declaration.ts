import { alternatives } from '../lib/text/words.js'
import type { AnyInput, CommandModule } from './command.js'
import { commonOptions, commonTitle, formatOptions } from './common-options.js'
import type { ArgumentTerm, OptionFlags } from './input.js'
import type { ValueParser } from './option-values.js'

/** Options by their flags: `'-n, --notes <text>': 'notes'`. `<>` marks a required value, `[]` an optional one. */
export type OptionSet = Readonly<Record<OptionFlags, string | OptionDetails>>

export interface OptionDetails {
  description: string
  /** Parses the value: the text, or the list of a repeatable option. The text `default` is parsed as well. */
  parse?: ValueParser
  /** Options and arguments that cannot be used together with it: `--notes` or `[entry...]`. */
  conflicts?: readonly string[]
  /** What they are in the help, instead of their names: `filters`. */
  conflictNames?: string
  /** Why, for the message. */
  conflictReason?: string
  /** The option that must be given with it, and what else stands for that: `--html or -o FILE.pdf`. */
  needs?: string
  /** Whether it may be given several times; its value is a list. */
  repeatable?: true
  /** Whether `!` before a value excludes what it matches. */
  canExclude?: true
  /** Whether it must be given. */
  required?: true
  default?: string
}

/** Arguments by their terms: `'<id>': 'expense ID'`. `<>` marks a required argument, `[]` an optional one, `...` a list. */
export type ArgumentSet = Readonly<Record<ArgumentTerm, string | ArgumentDetails>>

type ArgumentDetails = Pick<OptionDetails, 'description' | 'parse'>

/** Text between the options and the examples: a paragraph, or a list of terms. Backticks mark code. */
export type Note = string | { title: string; rows: readonly NoteRow[] }

interface NoteRow {
  term: string
  meaning: string
  /** More about the meaning, such as an example value. */
  detail?: string
}

/** A command: everything that its help, its man page and its completion contain, and the function that loads it. */
export interface CommandDeclaration<Module = Promise<CommandModule<AnyInput>>> {
  /** One line for lists of commands. */
  summary: string
  /** The first sentence of the help, if it is not the summary. */
  description?: string
  args?: ArgumentSet
  options?: OptionSet
  /** Options under headings of their own, after `options`. */
  optionGroups?: Readonly<Record<string, OptionSet>>
  /** Whether it prints records, and takes the options of output formats. */
  hasFormats?: true
  notes?: readonly Note[]
  examples: readonly string[]
  load(): Module
}

/** A command with subcommands. */
export interface GroupDeclaration<Module = Promise<CommandModule<AnyInput>>> {
  summary: string
  commands: Readonly<Record<string, Declaration<Module>>>
  /** The subcommand that runs when none is typed. */
  default?: string
  notes?: readonly Note[]
  examples?: readonly string[]
}

export type Declaration<Module = Promise<CommandModule<AnyInput>>> =
  | CommandDeclaration<Module>
  | GroupDeclaration<Module>

/**
 * Declares a command, whose `Input` follows from the declaration: the declaration must not depend on the type of the command.
 * So the compiler ignores here what `load` returns, and checks it in src/program/program.ts.
 */
export function defineCommand<const Declared extends CommandDeclaration<void>>(
  declaration: Declared,
): Declared {
  return declaration
}

/** Declares a command with subcommands. */
export function defineGroup<
  Declared extends GroupDeclaration<void>,
  Name extends keyof Declared['commands'] & string,
>(declaration: Declared & { default?: Name }): Declared {
  return declaration
}

/** Returns a function that returns the `load` of a command: the name is that of an export of the module. */
export function commandsIn<Module>(load: () => Promise<Module>) {
  return <Name extends keyof Module>(name: Name): (() => Promise<Module[Name]>) =>
    async () =>
      (await load())[name]
}

export function isGroup(declaration: Declaration): declaration is GroupDeclaration {
  return 'commands' in declaration
}

/** Options under a heading; those without one are under "Options". */
export interface OptionGroup {
  title: string | undefined
  options: readonly (OptionDetails & { flags: string })[]
}

/** Returns all options of a command by their headings, in the order of the help: those of every command come last. */
export function optionGroupsOf(declaration: CommandDeclaration): OptionGroup[] {
  const own = ownOptionGroups(declaration)
  const letters = own.flatMap(({ options }) => options.flatMap(({ flags }) => letterOf(flags) ?? []))
  // `tt api -q` is short for --query.
  const flagsOf = (flags: string) =>
    letters.includes(letterOf(flags) ?? '') ? flags.slice('-q, '.length) : flags
  const common = listOptions(commonOptions).map((option) => ({ ...option, flags: flagsOf(option.flags) }))
  return [...own, { title: commonTitle, options: common }]
}

/** Returns the options of a command except those of every command. */
export function ownOptionGroups({
  options,
  optionGroups,
  hasFormats,
}: Pick<CommandDeclaration, 'options' | 'optionGroups' | 'hasFormats'>): OptionGroup[] {
  const titled = {
    ...optionGroups,
    ...(hasFormats ? { Output: { ...optionGroups?.Output, ...formatOptions } } : {}),
  }
  return [
    ...(options ? [{ title: undefined, options: listOptions(options) }] : []),
    ...Object.entries(titled).map(([title, set]) => ({ title, options: listOptions(set) })),
  ]
}

export function listOptions(set: OptionSet): OptionGroup['options'] {
  return Object.entries(set).map(([flags, details]) => {
    if (typeof details === 'string') return { flags, description: details }
    return { flags, ...details, description: withRules(details) }
  })
}

/** Returns the description of an option with the rules of its use: "email address (with --key)". */
function withRules({ description, conflicts, ...details }: OptionDetails): string {
  const { required, repeatable, canExclude, needs, conflictNames } = details
  const rules = [
    ...(required ? ['required'] : []),
    ...(repeatable && !canExclude ? ['repeatable'] : []),
    ...(needs === undefined ? [] : [`with ${needs}`]),
    ...(conflicts ? [`not with ${conflictNames ?? alternatives(conflicts)}`] : []),
  ]
  return rules.length > 0 ? `${description} (${rules.join('; ')})` : description
}

/** Returns the description of an option where it stands alone, without the heading of its group. */
export function optionMeaning({ description, canExclude }: OptionDetails): string {
  return canExclude ? `${description} (repeatable; prefix with ! to exclude)` : description
}

/** Returns the letter of `-n, --notes <text>`; undefined for an option without one. */
function letterOf(flags: string): string | undefined {
  return /^-(\w),/.exec(flags)?.[1]
}

/** Returns the first sentence of the help, without capital and full stop. */
export function descriptionOf(declaration: Declaration): string {
  return (isGroup(declaration) ? undefined : declaration.description) ?? declaration.summary
}

/** Returns what follows the name of a command in its usage: `[options] <task>`. */
export function usageOf(declaration: Declaration): string {
  return ['[options]', ...operandsOf(declaration)].join(' ')
}

/** Returns the terms of the arguments; of a group, `[command]`. */
export function operandsOf(declaration: Declaration): string[] {
  return isGroup(declaration) ? ['[command]'] : Object.keys(declaration.args ?? {})
}
