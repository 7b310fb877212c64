import { describe, expect, test } from 'vitest'
import { summaries } from '../../../src/program/command-list.js'
import { equivalentCommands, equivalentOptions, removedOptions } from '../../../src/program/expected-names.js'
import { createProgram } from '../../../src/program/program.js'

function failure(...argv: string[]) {
  const invoke = async () => {
    throw new Error('A command ran.')
  }
  return createProgram({ invoke, writeOut: () => {}, writeErr: () => {} }, argv[0])
    .then((program) => program.parseAsync(argv, { from: 'user' }))
    .then(
      () => undefined,
      ({ code, message, hint, candidates }) => ({ code, message, hint, candidates }),
    )
}

describe('a command line that cannot be parsed', () => {
  test.each([
    [['proj'], 'Unknown command "proj". Did you mean projects?', 'Run `tt --help` for usage.'],
    [
      ['expenses', 'lsit'],
      'Unknown command "lsit". Did you mean list or edit?',
      'Run `tt expenses --help` for usage.',
    ],
    [
      ['report', '--ntoes', 'x'],
      'Unknown option "--ntoes". Did you mean --notes?',
      'Run `tt report --help` for usage.',
    ],
    [
      ['admin', 'user', 'add'],
      'Missing required argument "email".',
      'Usage: tt admin user add [options] <email>\nRun `tt admin user add --help` for usage.',
    ],
    [
      ['stop', 'now'],
      'Too many arguments for "stop". Expected 0 arguments but got 1.',
      'Usage: tt stop [options]\nRun `tt stop --help` for usage.',
    ],
  ])('names the command in its hint: %j', async (argv, message, hint) => {
    expect(await failure(...argv)).toMatchObject({ code: 'usage', message, hint })
  })
})

test.each([
  ['projects edit Website -h', 'Unknown command "edit".'],
  ['expenses delete --help', 'Unknown command "delete".'],
  ['admin user edit --help', 'Unknown command "edit".'],
  ['strat --help', 'Unknown command "strat". Did you mean start?'],
  ['admin usr --help', 'Unknown command "usr". Did you mean user?'],
])('%s is the error of an unknown command', async (line, message) => {
  expect(await failure(...line.split(' '))).toMatchObject({ code: 'usage', message })
})

test.each(['tags week --help', 'expenses list --help', 'projects --help'])(
  '%s shows the help',
  async (line) => {
    expect(await failure(...line.split(' '))).toMatchObject({ code: 'commander.helpDisplayed' })
  },
)

test.each(
  Object.entries(removedOptions).flatMap(([path, options]) =>
    Object.keys(options).map((option) => [path, option] as const),
  ),
)('%s %s is one line that names its replacement', async (path, option) => {
  const argv = path.split(' ').slice(1)
  const removed = await failure(...argv, option)
  expect(removed).toMatchObject({ code: 'usage', hint: undefined, candidates: [] })
  const [, name, command] =
    /^(--[\w-]+)(?: FILE)? was removed\. .*`tt (\w+)[^`\n]*`.*\.$/.exec(removed?.message ?? '') ?? []
  expect(name).toBe(option.replace('=', ''))
  expect(summaries).toHaveProperty(command ?? '')
  expect((await failure('start', option))?.message).toContain(`Unknown option "${option}".`)
})

describe('a command of another time tracker', () => {
  test.each(Object.entries(equivalentCommands))('%s suggests %s', async (name, replacement) => {
    const hint = `Use \`${replacement}\` instead. Run \`tt --help\` for usage.`
    const command = replacement.split(' ')[1]
    const expected = { code: 'usage', message: `Unknown command "${name}".`, hint, candidates: [command] }
    expect(await failure(name)).toEqual(expected)
    expect(await failure('--json', name, 'week')).toEqual(expected)
    expect(summaries).toHaveProperty(command ?? '')
    expect(summaries).not.toHaveProperty(name)
  })

  test('is not suggested for a subcommand', async () => {
    expect(await failure('expenses', 'ls')).toMatchObject({ hint: 'Run `tt expenses --help` for usage.' })
  })
})

describe('an option that another command has', () => {
  test.each([
    [['edit', '@1', '--end', '12:00'], '--to'],
    [['edit', '@1', '--start=9'], '--from'],
    [['add', 'design', '--start', '9'], '--from'],
    [['start', 'design', '--from', '9'], '--at'],
    [['stop', '--to', '9'], '--at'],
    [['log', '--from', 'monday'], '--since'],
    [['expenses', '--end', 'monday'], '--until'],
  ])('%j suggests %s', async (argv, option) => {
    expect((await failure(...argv))?.hint).toContain(`Use \`${option}\` instead.`)
  })

  test('is not suggested for a command of the same name in a group', async () => {
    expect((await failure('expenses', 'edit', '--end', '9'))?.hint).toBe(
      'Run `tt expenses edit --help` for usage.',
    )
  })

  test.each(Object.entries(equivalentOptions))('%s has the suggested options', async (path, options) => {
    const program = await createProgram({ invoke: async () => {}, writeOut: () => {}, writeErr: () => {} })
    let command = program
    for (const name of path.split(' ').slice(1))
      command = command.commands.find((each) => each.name() === name)?.build() ?? program
    const known = command.options.map(({ long }) => long)
    for (const [option, text] of Object.entries(options)) {
      expect(known).not.toContain(option)
      expect(known).toContain(/`(--[\w-]+)/.exec(text)?.[1])
    }
  })
})

test.each([
  [['website/design', 'fix', 'header'], 'For notes, write `tt start website/design -n "fix header"`.'],
  [['design', "it's"], `For notes, write \`tt start design -n "it's"\`. For a task of a project, write`],
  [['website', 'design'], 'For a task of a project, write `tt start website/design`.'],
])('tt start %j shows how to write it', async (words, hint) => {
  expect(await failure('start', ...words)).toMatchObject({
    message: `Too many arguments for "start". Expected 1 argument but got ${words.length}.`,
    hint: expect.stringContaining(hint),
  })
})
