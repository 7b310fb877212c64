import type { commonOptions, formatOptions } from './common-options.js'

// The types of the values of a command follow from its declaration.

/** The arguments and options of a command by their names, as its declaration has them: `Input<typeof commands.start>`. */
export interface Input<Declared> {
  args: ArgumentValues<Part<Declared, 'args'>>
  options: OptionValues<
    Part<Declared, 'options'> &
      (Declared extends { optionGroups: infer Groups } ? Intersection<Groups[keyof Groups]> : unknown) &
      (Declared extends { hasFormats: true } ? typeof formatOptions : unknown)
  > &
    Partial<OptionValues<typeof commonOptions>>
}

/** The options of a command, as its declaration has them. */
export type Options<Declared> = Input<Declared>['options']

/**
 * The values of options by their names, which are those of commander: `notBillable` for `--not-billable`, `browser` for
 * `--no-browser`.
 */
export type OptionValues<Options> = {
  [Flags in keyof Options & string as IfAlwaysSet<Flags, Options[Flags], OptionName<Flags>>]: OptionValue<
    Flags,
    Options[Flags]
  >
} & {
  [Flags in keyof Options & string as OptionName<Flags>]?: OptionValue<Flags, Options[Flags]>
}

/** The values of arguments by their names: `entry` for `[entry...]`, whose list may be empty. */
type ArgumentValues<Args> = {
  [Term in keyof Args & string as Term extends `<${string}` | `${string}...]`
    ? ArgumentName<Term>
    : never]: ArgumentValue<Term, Args[Term]>
} & {
  [Term in keyof Args & string as ArgumentName<Term>]?: ArgumentValue<Term, Args[Term]>
}

/** `'-n, --notes <text>'`; the letter may be omitted. */
export type OptionFlags = `--${string}` | `-${string}, --${string}`

/** `'<id>'` for a required argument, `'[id]'` for an optional one. */
export type ArgumentTerm = `<${string}>` | `[${string}]`

type Part<Whole, Name extends string> = Whole extends { [Key in Name]: infer Value } ? Value : unknown

type Intersection<Union> = (Union extends unknown ? (value: Union) => void : never) extends (
  value: infer Whole,
) => void
  ? Whole
  : never

type OptionName<Flags extends string> = Flags extends `${string}--no-${infer Rest}`
  ? CamelCase<FirstWord<Rest>>
  : Flags extends `${string}--${infer Rest}`
    ? CamelCase<FirstWord<Rest>>
    : never

type FirstWord<Text extends string> = Text extends `${infer First} ${string}` ? First : Text

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/** The name of an option that has a value even if it is not typed. */
type IfAlwaysSet<Flags, Details, Name> = Flags extends `--no-${string}`
  ? Name
  : Details extends { default: string } | { required: true }
    ? Name
    : never

/** The parsed value, text, true for a flag, or a list. */
type OptionValue<Flags, Details> = Details extends { parse: (typed: never, source: never) => infer Value }
  ? Awaited<Value>
  : Details extends { repeatable: true }
    ? string[]
    : Flags extends `${string}<${string}`
      ? string
      : Flags extends `${string}[${string}`
        ? string | true
        : boolean

type ArgumentName<Term extends string> = Term extends `${'<' | '['}${infer Name}${'>' | ']'}`
  ? Name extends `${infer Single}...`
    ? Single
    : Name
  : never

type ArgumentValue<Term, Details> = Details extends { parse: (typed: never, source: never) => infer Value }
  ? Awaited<Value>
  : Term extends `${string}...${string}`
    ? string[]
    : string
