import { expect, expectTypeOf, test } from 'vitest'
import type { commonOptions } from '../../../src/cli/common-options.js'
import type { CommonOptions } from '../../../src/cli/context/terminal.js'
import { type CommandDeclaration, defineCommand } from '../../../src/cli/declaration.js'
import type { Input, OptionValues } from '../../../src/cli/input.js'
import { ProgramCommand } from '../../../src/program/command-tree.js'
import { repeatable } from '../../../src/program/options/shared-options.js'

// The compiler checks the types (npm run types).

const note = defineCommand({
  summary: 'add notes',
  args: { '<entry>': 'entry ID', '[task]': 'task', '[others...]': 'other entries' },
  options: {
    '-n, --notes <text>': 'notes',
    '--tag <tag>': repeatable('tag'),
    '--trim': 'trim the notes',
    '--by <keys>': { description: 'keys', default: 'project' },
  },
  optionGroups: { Browser: { '--no-browser': 'open no browser', '--open [name]': 'browser to open' } },
  hasFormats: true,
  examples: [],
  load: async () => ({ run: async () => undefined }),
})

type NoteInput = Input<typeof note>

test('the input of a command has the names and types of its declaration', () => {
  expectTypeOf<NoteInput['args']>().branded.toEqualTypeOf<{
    entry: string
    task?: string
    others: string[]
  }>()
  type Own = 'notes' | 'tag' | 'trim' | 'by' | 'browser' | 'open' | 'csv' | 'quiet'
  expectTypeOf<Pick<NoteInput['options'], Own>>().branded.toEqualTypeOf<{
    notes?: string
    tag?: string[]
    trim?: boolean
    by: string
    browser: boolean
    open?: string | true
    csv?: boolean
    quiet?: boolean
  }>()
  // @ts-expect-error: The option is not declared.
  expectTypeOf<NoteInput['options']>().toHaveProperty('create')
})

test('the input of a command has the values of its command line', async () => {
  expect(await inputOf(note, '12', 'design', '13', '--tag', 'a', '--tag', 'b', '--trim')).toMatchObject({
    args: { entry: '12', task: 'design', others: ['13'] },
    options: { tag: ['a', 'b'], trim: true, by: 'project', browser: true },
  })
  expect(await inputOf(note, '12', '-n', 'text', '--no-browser')).toMatchObject({
    args: { entry: '12', others: [] },
    options: { notes: 'text', by: 'project', browser: false },
  })
})

test('the context has every common option', () => {
  expectTypeOf<Required<OptionValues<typeof commonOptions>>>().branded.toEqualTypeOf<
    Required<CommonOptions>
  >()
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
