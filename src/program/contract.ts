import type { AnyInput, CommandModule, NoValues } from '../commands/shared/command.js'
import type { commonOptions } from './options/common-options.js'
import type { formatOptions } from './options/shared-options.js'

// Types that compare the arguments and options of a declaration with those that its command accepts.

/** Matches a declaration whose command accepts exactly what it declares; otherwise `load` is a text with the difference. */
export type Contract<Declared> = [CommandDifference<Declared>] extends [never]
  ? unknown
  : { load: CommandDifference<Declared> }

/** Matches options whose names and values are those of `Accepted`. */
export type OptionsOf<Options, Accepted> = [
  Difference<'option', OptionValues<Options>, Explicit<Accepted>>,
] extends [never]
  ? unknown
  : Difference<'option', OptionValues<Options>, Explicit<Accepted>>

/** `'-n, --notes <text>'`; the letter may be omitted. */
export type OptionFlags = `--${string}` | `-${string}, --${string}`

/** `'<id>'` for a required argument, `'[id]'` for an optional one. */
export type ArgumentTerm = `<${string}>` | `[${string}]`

type CommandDifference<Declared> =
  | `The option "${Exclude<keyof AllOptions<Declared> & string, OptionFlags>}" has no long name.`
  | `The argument "${Exclude<keyof Part<Declared, 'args'> & string, ArgumentTerm>}" has no brackets.`
  | `The command exports "${Exclude<keyof Loaded<Declared> & string, keyof CommandModule<AnyInput>>}", which is not part of a command.`
  | `The ${RejectedBy<Loaded<Declared>>} of the command does not accept what "run" returns.`
  | Difference<'argument', ArgumentValues<Part<Declared, 'args'>>, Explicit<Part<Input<Declared>, 'args'>>>
  | Difference<
      'option',
      OptionValues<AllOptions<Declared>>,
      Explicit<Part<Input<Declared>, 'options'>>,
      OptionValues<typeof commonOptions> &
        (Declared extends { hasFormats: true } ? OptionValues<typeof formatOptions> : unknown)
    >

/** The differences between declared and accepted values. A command may accept the `Shared` ones as well. */
type Difference<Kind extends string, Declared, Accepted, Shared = unknown> =
  | `The command accepts the ${Kind} "${Missing<Accepted, Declared & Shared>}", which is not declared.`
  | `The command does not accept the declared ${Kind} "${Missing<Declared, Accepted>}".`
  | `The ${Kind} "${Retyped<Declared & Shared, Accepted> | Retyped<Accepted, Declared>}" is declared with another type.`

type Missing<Values, Others> = Exclude<keyof Values, keyof Others> & string

/** The names of the values that cannot be assigned to those of the same name. */
type Retyped<Values, Others> = {
  [Name in keyof Values & keyof Others & string]: [Values[Name]] extends [Others[Name]] ? never : Name
}[keyof Values & keyof Others & string]

type Part<Whole, Name extends string> = Whole extends { [Key in Name]: infer Value } ? Value : NoValues

/** The command module. */
type Loaded<Declared> = Declared extends { load: () => Promise<infer Module> } ? Module : never

/** The parts of a command module that do not accept the value of `run`. */
type RejectedBy<Module> = {
  [Name in keyof Accepted<Module>]: [Returned<Module>] extends [Accepted<Module>[Name]] ? never : Name
}[keyof Accepted<Module>]

/** The values that each part of a command module accepts. A view prints only what `text` and `summary` do not. */
interface Accepted<Module> {
  text: Module extends { text(value: infer Value): unknown } ? Value : unknown
  summary: Module extends { summary(value: infer Value): unknown } ? Value : unknown
  view: Module extends { text: unknown } | { summary: unknown } ? unknown : Viewed<Part<Module, 'view'>>
}

/** The values that a view accepts: a row, or a list of rows. */
type Viewed<View> = View extends (ctx: never, value: infer Value, ...input: never) => infer Created
  ? Value & Viewed<Created>
  : View extends { json(row: infer Row): unknown }
    ? Row | readonly Row[]
    : unknown

/** What `run` returns, except for no record and no output. */
type Returned<Module> = Module extends { run(...args: never): infer Result }
  ? NonNullable<Result extends AsyncIterable<infer Item> ? Item : Awaited<Result>>
  : never

/** What the functions of the command accept. */
type Input<Declared> = Declared extends {
  load: () => Promise<{
    run(ctx: never, input: infer Value): unknown
    view?: object | ((ctx: never, value: never, input: infer Value) => unknown)
    allowsUnreadableSettings?: boolean | ((input: infer Value) => boolean)
    messageReplacesValue?: boolean | ((input: infer Value) => boolean)
  }>
}
  ? Value
  : never

/** The values with undefined where they are optional. */
type Explicit<Values> = { [Name in keyof Required<Values>]: Name extends keyof Values ? Values[Name] : never }

/** All options of a declaration as one set. */
type AllOptions<Declared> = Part<Declared, 'options'> &
  (Declared extends { optionGroups: infer Groups } ? Intersection<Groups[keyof Groups]> : unknown)

type Intersection<Union> = (Union extends unknown ? (value: Union) => void : never) extends (
  value: infer Whole,
) => void
  ? Whole
  : never

/**
 * The values of options by their names, which are those of commander: `notBillable` for `--not-billable`, `browser` for
 * `--no-browser`.
 */
export type OptionValues<Options> = {
  [Flags in keyof Options & string as OptionName<Flags>]: OptionValue<Flags, Options[Flags]>
}

type OptionName<Flags extends string> = Flags extends `${string}--no-${infer Rest}`
  ? CamelCase<FirstWord<Rest>>
  : Flags extends `${string}--${infer Rest}`
    ? CamelCase<FirstWord<Rest>>
    : never

type FirstWord<Text extends string> = Text extends `${infer First} ${string}` ? First : Text

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/** Text, true for a flag, or a list; undefined if the option may be omitted and has no default. */
type OptionValue<Flags, Details> =
  | (Details extends { repeatable: true }
      ? string[]
      : Flags extends `${string}<${string}`
        ? string
        : Flags extends `${string}[${string}`
          ? string | true
          : boolean)
  | (Flags extends `--no-${string}`
      ? never
      : Details extends { default: string } | { required: true }
        ? never
        : undefined)

/** The values of arguments by their names: `entry` for `[entry...]`. */
type ArgumentValues<Args> = {
  [Term in keyof Args & string as ArgumentName<Term>]: ArgumentValue<Term>
}

type ArgumentName<Term extends string> = Term extends `${'<' | '['}${infer Name}${'>' | ']'}`
  ? Name extends `${infer Single}...`
    ? Single
    : Name
  : never

/** Text or a list; undefined if the argument may be omitted. */
type ArgumentValue<Term> = Term extends `${string}...${string}`
  ? string[]
  : Term extends `<${string}`
    ? string
    : string | undefined
