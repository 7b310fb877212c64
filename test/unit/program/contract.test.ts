import { expect, test } from 'vitest'
import type { CommonOptions } from '../../../src/cli/context/terminal.js'
import type { Context } from '../../../src/cli/context.js'
import type { CommandInput, NoValues } from '../../../src/commands/shared/command.js'
import type { EntryFilterOptions } from '../../../src/commands/shared/options/parse-options.js'
import { ProgramCommand } from '../../../src/program/command-tree.js'
import { type CommandDeclaration, defineCommand } from '../../../src/program/declaration.js'
import { commonOptions } from '../../../src/program/options/common-options.js'
import {
  entryFilters,
  type FormatOptions,
  formatOptions,
  optionsFor,
  periodOptions,
  repeatable,
} from '../../../src/program/options/shared-options.js'
import type { View } from '../../../src/ui/view.js'

// The compiler checks these tests (npm run types): `@ts-expect-error` is an error where the next line compiles.

interface NoteOptions {
  notes?: string
  tag?: string[]
  trim?: boolean
  by: string
  browser: boolean
}

const load = async () => ({
  async run(_: Context, __: CommandInput<NoteOptions, { entry: string; others: string[]; task?: string }>) {
    return undefined
  },
})

const base = { summary: 'add notes', examples: [] } as const
const args = { '<entry>': 'entry ID', '[task]': 'task', '[others...]': 'other entries' } as const
const options = {
  '-n, --notes <text>': 'notes',
  '--tag <tag>': repeatable('tag'),
  '--trim': 'trim the notes',
  '--by <keys>': { description: 'keys', default: 'project' },
  '--no-browser': 'open no browser',
} as const

test('a declaration compiles if the command accepts exactly its arguments and options', async () => {
  const declaration = defineCommand({ ...base, args, options, load })
  expect(
    await inputOf(declaration, '12', 'design', '13', '--tag', 'a', '--tag', 'b', '--trim'),
  ).toMatchObject({
    args: { entry: '12', task: 'design', others: ['13'] },
    options: { tag: ['a', 'b'], trim: true, by: 'project', browser: true },
  })
  expect(await inputOf(declaration, '12', '-n', 'text', '--no-browser')).toMatchObject({
    args: { entry: '12', others: [] },
    options: { notes: 'text', by: 'project', browser: false },
  })
})

test('an option that the command accepts must be declared', () => {
  const { '--trim': _, ...others } = options
  // @ts-expect-error: The command accepts the option "trim", which is not declared.
  expect(defineCommand({ ...base, args, options: others, load })).toBeDefined()
})

test('a declared option must be accepted by the command', () => {
  const more = { ...options, '--create': 'create the task' } as const
  // @ts-expect-error: The command does not accept the declared option "create".
  expect(defineCommand({ ...base, args, options: more, load })).toBeDefined()
  // @ts-expect-error: The command does not accept the declared option "create".
  expect(defineCommand({ ...base, args, optionGroups: { Output: more }, load })).toBeDefined()
  const without = async () => ({ run: async (_: Context) => undefined })
  // @ts-expect-error: The command does not accept any option.
  expect(defineCommand({ ...base, options, load: without })).toBeDefined()
})

test('a declared option of the output must be accepted by the command', () => {
  const format = { ...options, '--format <format>': 'format' } as const
  // @ts-expect-error: The command does not accept the declared option "format".
  expect(defineCommand({ ...base, args, options: format, load })).toBeDefined()
  const template = { ...options, '--template <text>': 'template' } as const
  // @ts-expect-error: The command does not accept the declared option "template".
  expect(defineCommand({ ...base, args, options: template, load })).toBeDefined()
  const fields = { ...options, '--fields <keys>': 'keys' } as const
  // @ts-expect-error: The command does not accept the declared option "fields".
  expect(defineCommand({ ...base, args, options: fields, load })).toBeDefined()
  const raw = { ...options, '--raw': 'change no text' } as const
  // @ts-expect-error: The command does not accept the declared option "raw".
  expect(defineCommand({ ...base, args, options: raw, load })).toBeDefined()
  expect(defineCommand({ ...base, args, options, hasFormats: true, load })).toBeDefined()
})

test('an option must have the type that the command accepts', () => {
  const { '--trim': _, ...others } = options
  const flag = { ...others, '--trim <mode>': 'a text instead of a flag' } as const
  // @ts-expect-error: The option "trim" is declared with another type.
  expect(defineCommand({ ...base, args, options: flag, load })).toBeDefined()
  const single = { ...options, '--tag <tag>': 'a text instead of a list' } as const
  // @ts-expect-error: The option "tag" is declared with another type.
  expect(defineCommand({ ...base, args, options: single, load })).toBeDefined()
  const omittable = { ...options, '--by <keys>': 'without a default' } as const
  // @ts-expect-error: The option "by" is declared with another type.
  expect(defineCommand({ ...base, args, options: omittable, load })).toBeDefined()
})

test('arguments must be those that the command accepts', () => {
  const { '<entry>': entry, ...others } = args
  // @ts-expect-error: The command accepts the argument "entry", which is not declared.
  expect(defineCommand({ ...base, args: others, options, load })).toBeDefined()
  // @ts-expect-error: The command does not accept the declared argument "project".
  expect(defineCommand({ ...base, args: { ...args, '<project>': '' }, options, load })).toBeDefined()
  // @ts-expect-error: The argument "entry" is optional here, and required in the command.
  expect(defineCommand({ ...base, args: { ...others, '[entry]': entry }, options, load })).toBeDefined()
  // @ts-expect-error: The argument "entry" is a list here, and a text in the command.
  expect(defineCommand({ ...base, args: { ...others, '<entry...>': entry }, options, load })).toBeDefined()
})

test('an option must have a long name, and an argument must have brackets', () => {
  const letter = { ...options, '-x': 'an option without a name' } as const
  // @ts-expect-error: The option "-x" has no long name.
  expect(defineCommand({ ...base, args, options: letter, load })).toBeDefined()
  const bare = { ...args, project: 'an argument without brackets' } as const
  // @ts-expect-error: The argument "project" has no brackets.
  expect(defineCommand({ ...base, args: bare, options, load })).toBeDefined()
})

test('every function of a command may use declared options only', () => {
  const module = {
    run: async (_: Context) => undefined,
    allowsUnreadableSettings: ({ options }: CommandInput<{ list?: boolean }, NoValues>) =>
      options.list === true,
  }
  // @ts-expect-error: The command accepts the option "list", which is not declared.
  expect(defineCommand({ ...base, load: async () => module })).toBeDefined()
})

test('a command may export only the parts of a command', () => {
  const queueing = async () => ({ run: async (_: Context) => undefined, canQueue: true })
  expect(defineCommand({ ...base, load: queueing })).toBeDefined()
  const mistyped = async () => ({ run: async (_: Context) => undefined, canQueu: true })
  // @ts-expect-error: The command exports "canQueu", which is not part of a command.
  expect(defineCommand({ ...base, load: mistyped })).toBeDefined()
})

test('what a command returns must be accepted by its view, text and summary', () => {
  const view: View<{ a: string }> = { columns: [], json: (row) => row, empty: '' }
  const rows = async () => ({ run: async (_: Context) => [{ a: 'x', b: 1 }], view })
  expect(defineCommand({ ...base, load: rows })).toBeDefined()
  const numbers = async () => [1]
  // @ts-expect-error: The view of the command does not accept numbers.
  expect(defineCommand({ ...base, load: async () => ({ run: numbers, view }) })).toBeDefined()
  const created = async () => ({ run: numbers, view: (_: Context) => view })
  // @ts-expect-error: The view of the command does not accept numbers.
  expect(defineCommand({ ...base, load: created })).toBeDefined()
  const listed = async () => ({ run: numbers, view: (_: Context, __: string[]): View<unknown> => view })
  // @ts-expect-error: The view of the command does not accept a list of numbers.
  expect(defineCommand({ ...base, load: listed })).toBeDefined()
  async function* stream(_: Context) {
    yield 1
  }
  // @ts-expect-error: The view of the command does not accept numbers.
  expect(defineCommand({ ...base, load: async () => ({ run: stream, view }) })).toBeDefined()
  const text = (value: string) => [value]
  // @ts-expect-error: The text of the command does not accept numbers.
  expect(defineCommand({ ...base, load: async () => ({ run: numbers, text }) })).toBeDefined()
  const summary = (_: { total: number }) => undefined
  // @ts-expect-error: The summary of the command does not accept numbers.
  expect(defineCommand({ ...base, load: async () => ({ run: numbers, summary }) })).toBeDefined()
})

test('the list of filters has every filter of entries', () => {
  const { '--tag <tag>': _, ...others } = entryFilters
  // @ts-expect-error: The command accepts the option "tag", which is not declared.
  expect(optionsFor<EntryFilterOptions>()(others)).toBeDefined()
  const optionGroups = { Period: periodOptions('entries'), Filters: others }
  const tags = () => import('../../../src/commands/tags.js')
  // @ts-expect-error: The command accepts the option "tag", which is not declared.
  expect(defineCommand({ ...base, optionGroups, load: tags })).toBeDefined()
})

test('the list of common options has every common option', () => {
  // Parsed `--no-…` options always have a value.
  type Parsed = CommonOptions & { input: boolean; color: boolean; hooks: boolean }
  expect(optionsFor<Parsed>()(commonOptions)).toBe(commonOptions)
  const { '--debug': _, ...others } = commonOptions
  // @ts-expect-error: The context has the option "debug", which is not declared.
  expect(optionsFor<Parsed>()(others)).toBeDefined()
})

test('the list of formats has every format', () => {
  const { '--csv': _, ...others } = formatOptions
  // @ts-expect-error: "--csv" is missing.
  expect(others satisfies FormatOptions).toBeDefined()
})

/** Parses arguments with the declaration and returns the input of the command. */
async function inputOf(declaration: CommandDeclaration, ...words: string[]) {
  let input: unknown
  const program = new ProgramCommand('tt', async (invocation) => {
    input = invocation.input
  })
  program.addDeclared('note', declaration)
  program.buildOnDemand()
  await program.parseAsync(['note', ...words], { from: 'user' })
  return input
}
