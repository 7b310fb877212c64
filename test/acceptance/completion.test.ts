import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { bin, tt } from '../support/process.js'
import { isTmuxMissing, openTerminal, type Terminal } from '../support/terminal.js'
import { createTestCli } from '../support/test-cli.js'

const scripts = fileURLToPath(new URL('../../completions', import.meta.url))

/** How each shell is started with nothing of the user's, and made to complete tt. */
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

/** Names that a shell would run, expand or take apart. The last ones cannot be typed, or would be options. */
const names = [
  ...['plain', 'with space', "single'quote", 'double"quote', '$(touch CANARY)', '`touch CANARY`'],
  ...['a;touch CANARY', 'a&touch CANARY', 'a|touch CANARY', 'a>CANARY', 'star*', '=touch', 'back\\slash'],
  ...['ends\\', 'emoji 🎉', '$HOME', '!!bang!', '#hash', '{a,b}', '[x]', '?q', '(paren)', 'a=~'],
  ...['new:colon@at', '%percent', '^caret', 'ü umlaut', "'", '~', '~root', '-dash', '--json'],
]

interface Task {
  /** What finds it alone: the beginning of its project. */
  typed: string
  /** The word that is to come of it. */
  word: string
}

/** A home whose clients, projects and tasks have those names, and a `tt` that writes down how it was called. */
async function awkwardHome(): Promise<{ home: string; tasks: Task[]; called(): string[][] }> {
  const cli = createTestCli(new Date().toISOString())
  const { home } = cli
  const made = names.map((name, index) => ({
    name,
    project: `P${String(index).padStart(2, '0')} ${name}`,
  }))
  const csv = made.map(({ name, project }) => [
    `--client=${name}`,
    project,
    `--project=${name}/${project}`,
    name,
  ])
  for (const [client = '', project = '', path = '', task = ''] of csv) {
    for (const line of [
      ['project', 'add', client, '--', project],
      ['task', 'add', path, '--', task],
    ])
      expect(await cli.run('admin', ...line)).toMatchObject({ status: 0 })
  }
  const links = await cli.json<{ id: number; project: string }[]>('links')
  const tasks = made.map(({ name, project }) => {
    const id = String(links.find((link) => link.project === project)?.id)
    return { typed: project.slice(0, 3), word: /^[-~]/.test(name) ? id : `${name}/${project}/${name}` }
  })
  const log = join(home, 'called')
  writeFileSync(log, '')
  mkdirSync(join(home, 'bin'))
  const script = `#!/bin/sh
if [ "$1" != __complete ]; then printf '%s\\0' "$@" >> '${log}'; printf '\\1' >> '${log}'; fi
exec '${process.execPath}' '${bin}' "$@"
`
  writeFileSync(join(home, 'bin/tt'), script)
  chmodSync(join(home, 'bin/tt'), 0o755)
  const called = () =>
    readFileSync(log, 'utf8')
      .split('\x01')
      .slice(0, -1)
      .map((call) => call.split('\0').slice(0, -1))
  return { home, tasks, called }
}

async function openShell(shell: string, home: string): Promise<Terminal> {
  const terminal = openTerminal(home, { PATH: `${join(home, 'bin')}:${process.env.PATH}` })
  const { start = '', setUp = '' } = shells[shell] ?? {}
  terminal.type(start, 'Enter')
  await terminal.waitForText(/[>$#%] *$/m)
  terminal.type(`${setUp}; echo is "ready"`, 'Enter')
  await terminal.waitForText(/^is ready/m)
  return terminal
}

describe.each(Object.keys(shells))('%s', (shell) => {
  beforeEach(({ skip }) => {
    skip(isTmuxMissing, 'tmux is not installed')
    skip(spawnSync(shell, ['-c', 'true']).status !== 0, `${shell} is not installed`)
  })

  test('inserts any name as one word, and runs nothing of it, completing or when it is run', async () => {
    const { home, tasks, called } = await awkwardHome()
    const terminal = await openShell(shell, home)
    const expected: string[][] = []
    for (const quote of ['', '"', "'"]) {
      for (const { typed, word } of tasks) {
        // What fish offers must have something of what was typed.
        if (shell === 'fish' && /^\d+$/.test(word)) continue
        terminal.type(`tt start -q ${quote}${typed}`, 'Tab', 'Enter')
        expected.push(['start', '-q', word])
        await vi.waitFor(() => expect(called()).toHaveLength(expected.length), {
          timeout: 20_000,
          interval: 30,
        })
        expect(called().at(-1)).toEqual(['start', '-q', word])
      }
    }
    await vi.waitFor(
      async () =>
        expect(JSON.parse((await tt(home, ['status', '--json'])).stdout)).toMatchObject({ running: true }),
      20_000,
    )
    expect(existsSync(join(home, 'CANARY'))).toBe(false)
  })

  test('completes commands, options, values after = and : and @, lists, and names of files', async () => {
    const { home, called } = await awkwardHome()
    await tt(home, ['start', 'plain', '-q'])
    writeFileSync(join(home, 'report of may.html'), '')
    const terminal = await openShell(shell, home)
    const lines: [typed: string, words: string[]][] = [
      ['tt stat\t --cach\t --js\t', ['status', '--cached', '--json']],
      ['tt log --since=yest\t --proj\tP00\t', ['log', '--since=yesterday', '--project', 'P00 plain']],
      ['tt log --since "last w\t', ['log', '--since', 'last week']],
      ['tt start new:colon@a\t', ['start', 'new:colon@at/P23 new:colon@at/new:colon@at']],
      ['tt show @\t', ['show', '@']],
      ['tt report --by day,mon\t --chart hea\t', ['report', '--by', 'day,month', '--chart', 'heat']],
      ['tt report --html repo\t', ['report', '--html', 'report of may.html']],
      ['tt report --html=repo\t', ['report', '--html=report of may.html']],
      ['tt config get target.d\t', ['config', 'get', 'target.daily']],
    ]
    for (const [index, [typed, words]] of lines.entries()) {
      for (const part of typed.split(/(\t)/)) {
        if (part === '\t') terminal.type('', 'Tab')
        else terminal.type(part)
      }
      terminal.type('', 'Enter')
      await vi.waitFor(() => expect(called()).toHaveLength(index + 1), { timeout: 20_000, interval: 30 })
      expect(called().at(-1)).toEqual(words)
    }
  })

  test('leaves what was typed as it is where several names fit, and shows them', async () => {
    const { home } = await awkwardHome()
    const terminal = await openShell(shell, home)
    // bash shows them at the second one.
    terminal.type('tt start P0', ...(shell === 'bash' ? ['Tab', 'Tab'] : ['Tab']))
    await terminal.waitForText(/plain\/P00/)
    expect(terminal.screen()).toMatch(/^> tt start P0 *$/m)
    expect(terminal.screen()).toContain('task link')
  })

  test('runs nothing of what stands on the line', async () => {
    const { home } = await awkwardHome()
    const terminal = await openShell(shell, home)
    // By itself, zsh's Tab runs a $( ) that the cursor stands in before anything is completed, whatever the command.
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
    terminal.type('echo is "over"', 'Enter')
    await terminal.waitForText(/^is over/m)
    expect(existsSync(join(home, 'CANARY'))).toBe(false)
  })
})
