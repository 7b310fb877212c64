import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { bin } from '../support/process.js'
import { share } from '../support/share.js'
import { isTmuxMissing, openTerminal, type Terminal } from '../support/terminal.js'
import type { TestCli } from '../support/test-cli.js'

const scripts = fileURLToPath(new URL('../../completions', import.meta.url))

/** For each shell, the command that starts it without user configuration, and the one that loads the completion. */
const shells: Record<string, { start: string; setUp: string }> = {
  bash: {
    start: 'exec bash --noprofile --norc',
    setUp: `unset HISTFILE; PS1='> '; source '${scripts}/tt.bash'`,
  },
  zsh: {
    start: 'exec zsh -f',
    setUp: `PS1='> '; fpath=('${scripts}' $fpath); autoload -Uz compinit; compinit -D`,
  },
  fish: {
    start: 'exec fish --no-config --private',
    setUp: `function fish_prompt; echo -n '> '; end; source '${scripts}/tt.fish'`,
  },
}

/** Names that a shell would run, expand or split. The last ones cannot be typed, or would be options. */
const names = [
  ...['plain', 'with space', "single'quote", 'double"quote', '$(touch CANARY)', '`touch CANARY`'],
  ...['a;touch CANARY', 'a&touch CANARY', 'a|touch CANARY', 'a>CANARY', 'star*', '=touch', 'back\\slash'],
  ...['ends\\', 'emoji 🎉', '$HOME', '!!bang!', '#hash', '{a,b}', '[x]', '?q', '(paren)', 'a=~'],
  ...['new:colon@at', '%percent', '^caret', 'ü umlaut', "'", '~', '~root', '-dash', '--json'],
]

interface Task {
  /** The unique beginning of its project. */
  typed: string
  /** The completed argument. */
  argument: string
}

const namedProjects = names.map((name, index) => ({
  name,
  project: `P${String(index).padStart(2, '0')} ${name}`,
}))

const createCliWithNames = preparedCli(new Date().toISOString(), async (cli) => {
  for (const { name, project } of namedProjects) {
    for (const line of [
      ['projects', 'add', '--', `${name}/${project}`],
      ['tasks', 'add', '--', `${name}/${project}/${name}`],
    ])
      expect(await cli.run('admin', ...line)).toMatchObject({ status: 0 })
  }
})

/** What the built program has printed, by its arguments. */
const answers = mkdtempSync(join(tmpdir(), 'tt-answers-'))
afterAll(() => rmSync(answers, { recursive: true, force: true }))

/** Creates a home whose clients, projects and tasks have those names. */
async function createHomeWithTasks(): Promise<{ cli: TestCli; tasks: Task[] }> {
  const cli = await createCliWithNames()
  const links = await cli.json<{ id: number; project: string }[]>('tasks')
  const tasks = namedProjects.map(({ name, project }) => {
    const id = String(links.find((link) => link.project === project)?.id)
    return { typed: project.slice(0, 3), argument: /^[-~]/.test(name) ? id : `${name}/${project}/${name}` }
  })
  return { cli, tasks }
}

/**
 * Creates such a home with a `tt` that completes, and records the arguments of all other commands instead of running them.
 * It runs the built program once for each beginning of a project: without and after each quote, all shells pass the same
 * arguments on.
 */
async function createHomeWithNames(): Promise<{ cli: TestCli; tasks: Task[]; recordedCalls(): string[][] }> {
  const { cli, tasks } = await createHomeWithTasks()
  const { home } = cli
  const log = join(home, 'called')
  writeFileSync(log, '')
  mkdirSync(join(home, 'bin'))
  const script = `#!/bin/sh
complete() { '${process.execPath}' '${bin}' "$@"; }
case $*:$# in
  '__complete -- start -q P'[0-9][0-9]:5)
    answer='${answers}'/$5
    [ -e "$answer" ] || complete "$@" > "$answer"
    exec cat "$answer" ;;
  __complete*) complete "$@"; exit ;;
esac
printf '%s\\0' "$@" >> '${log}'; printf '\\1' >> '${log}'
`
  writeFileSync(join(home, 'bin/tt'), script)
  chmodSync(join(home, 'bin/tt'), 0o755)
  const recordedCalls = () =>
    readFileSync(log, 'utf8')
      .split('\x01')
      .slice(0, -1)
      .map((call) => call.split('\0').slice(0, -1))
  return { cli, tasks, recordedCalls }
}

const promptAtEnd = /[>$#%]\s*$/

async function openShell(shell: string, home: string): Promise<Terminal> {
  const terminal = openTerminal(home, { PATH: `${join(home, 'bin')}:${process.env.PATH}` })
  const { start = '', setUp = '' } = shells[shell] ?? {}
  terminal.type(start, 'Enter')
  await terminal.waitForText(/[>$#%] *$/m)
  terminal.type(`${setUp}; echo is "ready"`, 'Enter')
  await terminal.waitForText(/^is ready/m)
  return terminal
}

test('every completed argument is a task', async () => {
  const { cli, tasks } = await createHomeWithTasks()
  for (const { argument } of tasks)
    expect(await cli.run('start', '-q', argument)).toMatchObject({ status: 0, stderr: '' })
})

describe.each(Object.keys(shells))('%s', (shell) => {
  beforeEach(({ skip }) => {
    skip(isTmuxMissing, 'tmux is not installed')
    skip(spawnSync(shell, ['-c', 'true']).status !== 0, `${shell} is not installed`)
  })

  test('inserts any name as one argument, and executes no part of it', async () => {
    const { cli, tasks, recordedCalls } = await createHomeWithNames()
    const terminal = await openShell(shell, cli.home)
    const expected: string[][] = []
    const quoted = ['', '"', "'"].flatMap((quote) => tasks.map((task) => ({ quote, ...task })))
    for (const { quote, typed, argument } of share(`names in ${shell}`, quoted)) {
      // fish offers only completions that contain the typed text.
      if (shell === 'fish' && /^\d+$/.test(argument)) continue
      terminal.type(`tt start -q ${quote}${typed}`, 'Tab', 'Enter')
      expected.push(['start', '-q', argument])
      await vi.waitFor(() => expect(recordedCalls()).toHaveLength(expected.length), {
        timeout: 120_000,
        interval: 30,
      })
      expect(recordedCalls().at(-1)).toEqual(['start', '-q', argument])
      await terminal.waitForText(promptAtEnd) // The shell may read keys differently before.
    }
    expect(existsSync(join(cli.home, 'CANARY'))).toBe(false)
  })

  test('completes commands, options, values after = and : and @, lists, and file names', async () => {
    const { cli, recordedCalls } = await createHomeWithNames()
    await cli.run('start', 'plain', '-q')
    writeFileSync(join(cli.home, 'report of may.html'), '')
    const terminal = await openShell(shell, cli.home)
    const lines: [typed: string, words: string[]][] = [
      ['tt stat\t --cach\t --js\t', ['status', '--cached', '--json']],
      ['tt log --since=yest\t --proj\tP00\t', ['log', '--since=yesterday', '--project', 'P00 plain']],
      ['tt log --since "last w\t', ['log', '--since', 'last week']],
      ['tt start new:colon@a\t', ['start', 'new:colon@at/P23 new:colon@at/new:colon@at']],
      ['tt show @\t', ['show', '@']],
      ['tt report --by day,mon\t --chart hea\t', ['report', '--by', 'day,month', '--chart', 'heat']],
      ['tt report -o repo\t', ['report', '-o', 'report of may.html']],
      ['tt report --output=repo\t', ['report', '--output=report of may.html']],
      ['tt config get target.d\t', ['config', 'get', 'target.daily']],
    ]
    for (const [index, [typed, words]] of lines.entries()) {
      for (const part of typed.split(/(\t)/)) {
        if (part === '\t') terminal.type('', 'Tab')
        else terminal.type(part)
      }
      terminal.type('', 'Enter')
      await vi.waitFor(() => expect(recordedCalls()).toHaveLength(index + 1), {
        timeout: 120_000,
        interval: 30,
      })
      expect(recordedCalls().at(-1)).toEqual(words)
    }
  })

  test('shows several matching names, and does not change the command line', async () => {
    const { home } = (await createHomeWithNames()).cli
    const terminal = await openShell(shell, home)
    // bash shows them after the second Tab.
    terminal.type('tt start P0', ...(shell === 'bash' ? ['Tab', 'Tab'] : ['Tab']))
    await terminal.waitForText(/plain\/P00/)
    expect(terminal.screen()).toMatch(/^> tt start P0 *$/m)
    expect(terminal.screen()).toMatch(/task \d+/)
  })

  test('executes no part of the command line', async () => {
    const { home } = (await createHomeWithNames()).cli
    const terminal = await openShell(shell, home)
    // The default Tab binding of zsh executes a $( ) around the cursor before it completes, for every command.
    if (shell === 'zsh') terminal.type("bindkey '^I' complete-word", 'Enter')
    for (const [line, ending] of [
      ['tt start "$(touch CANARY)" ', ''],
      ['tt start `touch CANARY` --at ', ''],
      ['tt log --project "$(touch CANARY)', '"'],
      ["tt log --project '$(touch CANARY) ", "'"],
    ] as const) {
      terminal.type(line, 'Tab')
      terminal.type(ending, 'C-u')
    }
    terminal.type('echo is "finished"', 'Enter')
    await terminal.waitForText(/^is finished/m)
    expect(existsSync(join(home, 'CANARY'))).toBe(false)
  })
})
