import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { bin } from '../support/process.js'
import { isTmuxMissing, openTerminal, type Terminal } from '../support/terminal.js'
import type { TestCli } from '../support/test-cli.js'

beforeEach(({ skip }) => skip(isTmuxMissing, 'tmux is not installed'))

type Row = Record<string, unknown>

interface EditorSetup {
  home: string
  terminal: Terminal
  /** Runs a command in this process. */
  json: TestCli['json']
  entries(): Promise<Row[]>
  /** The directory of drafts. */
  drafts: string
}

const now = () => new Date().toISOString()

const createCli = preparedCli(now(), async ({ json }) => {
  const add = (task: string, from: string, notes: string) =>
    json('add', task, '--from', `2024-05-01 ${from}`, '--for', '1h', '-n', notes)
  await add('Website/Design', '9:00', 'first\nsecond')
  await add('Website/Review', '10:00', '')
})

/** Creates a home with two entries, and a terminal where EDITOR is this shell script; "$1" is the file. */
async function setUpEditor(
  script: string,
  { editor = 'my editor', env = {} as Record<string, string> } = {},
): Promise<EditorSetup> {
  const cli = await createCli()
  const { home } = cli
  const drafts = join(home, 'drafts')
  mkdirSync(drafts)
  const path = join(home, editor)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o700)
  const terminal = openTerminal(home, { TMPDIR: drafts, EDITOR: `"${path}"`, ...env })
  const json: TestCli['json'] = (...argv) => {
    cli.setTime(now())
    return cli.json(...argv)
  }
  const entries = () => json<Row[]>('log', '--since', '2024-05-01')
  return { home, terminal, json, entries, drafts }
}

/** Returns the text of the terminal on one line. */
const screen = ({ terminal }: EditorSetup) => terminal.scrollback().replace(/\s+/g, ' ')

test('several entries are edited in one form, and undone as one change', async () => {
  const setup = await setUpEditor(
    `cp "$1" ~/seen
     sed -i -e 's/^  second/  second, changed\\n  third/' -e 's/^to: .*11:00/to: 11:30/' -e 's/Review$/Design/' "$1"`,
  )
  const { home, terminal, json, entries, drafts } = setup
  terminal.runTt('edit 1 2')
  await terminal.waitForText('exit=0')
  expect(readFileSync(join(home, 'seen'), 'utf8')).toContain(
    'entry 1\ntask: Website / Design\nfrom: 2024-05-01 09:00\nto: 2024-05-01 10:00\nnotes: first\n  second\n\nentry 2\n',
  )
  expect(await entries()).toMatchObject([
    { notes: 'first\nsecond, changed\nthird', duration_seconds: 3600 },
    { task: 'Design', duration_seconds: 5400 },
  ])
  expect(screen(setup)).toContain('Changed entry 2: Website / Design, 1h 30m (2024-05-01 10:00–11:30).')
  expect(readdirSync(drafts)).toEqual([])
  await json('undo')
  expect(await entries()).toMatchObject([
    { notes: 'first\nsecond' },
    { task: 'Review', duration_seconds: 3600 },
  ])
})

test('the editor opens again with the same text and the error above the invalid line', async () => {
  const setup = await setUpEditor(
    `if grep -q '^# error' "$1"; then cp "$1" ~/again; sed -i 's/^to: 8:00/to: 9:45/' "$1"
     else sed -i -e 's/^to: .*/to: 8:00/' -e 's/^  second/  edited/' "$1"; fi`,
  )
  setup.terminal.runTt('edit 1')
  await setup.terminal.waitForText('exit=0')
  expect(readFileSync(join(setup.home, 'again'), 'utf8')).toContain(
    '# error: The end, 2024-05-01 08:00, is before the start, 2024-05-01 09:00.\nto: 8:00\nnotes: first\n  edited\n',
  )
  expect(screen(setup)).toContain('The editor opens again with your text.')
  expect(await setup.entries()).toMatchObject([{ notes: 'first\nedited', duration_seconds: 2700 }, {}])
})

test('the editor opens again for an unknown task', async () => {
  const setup = await setUpEditor(
    `if grep -q '^# error' "$1"; then cp "$1" ~/again; sed -i 's/^task: .*/task: review/' "$1"
     else sed -i 's/^task: .*/task: 99/' "$1"; fi`,
  )
  setup.terminal.runTt('edit 1')
  await setup.terminal.waitForText('exit=0')
  expect(readFileSync(join(setup.home, 'again'), 'utf8')).toMatch(
    /^# error: "99" matches no task\..*\ntask: 99$/m,
  )
  expect(await setup.entries()).toMatchObject([{ task: 'Review' }, {}])
})

test.each([
  ['is not changed', 'true', 'Nothing was changed.'],
  ['is emptied', ': > "$1"', 'Nothing was changed.'],
  ['contains only comments', `sed -i '/^#/!d' "$1"`, 'Nothing was changed.'],
  [
    'lacks a block',
    `sed -i '/^entry 2/,$d' "$1"`,
    'Entry 2 is unchanged: its block was removed. Run `tt rm 2` to delete it. Nothing was changed.',
  ],
])('a form that %s changes nothing', async (_, script, expected) => {
  const setup = await setUpEditor(script)
  const before = await setup.entries()
  setup.terminal.runTt('edit 1 2')
  await setup.terminal.waitForText('exit=0')
  expect(screen(setup)).toContain(expected)
  expect(await setup.entries()).toEqual(before)
  expect(readdirSync(setup.drafts)).toEqual([])
})

/** Returns the text of the draft whose path is on the screen. */
function readDraft(setup: EditorSetup): string {
  const path = /saved in\s*(\S+\.txt)\./.exec(setup.terminal.scrollback().replace(/\n/g, ''))?.[1]
  if (path === undefined || !existsSync(path))
    throw new Error(`No draft is named: ${setup.terminal.scrollback()}`)
  return readFileSync(path, 'utf8')
}

test.each([
  ['fails', `echo typed >> "$1"; exit 3`, 1, 'ended with status 3'],
  ['is killed', `echo typed >> "$1"; kill -9 $$`, 1, 'was ended by SIGKILL'],
  [
    'closes without correcting an error',
    `grep -q '^# error' "$1" || echo typed >> "$1"`,
    2,
    'The editor was closed without changes.',
  ],
])('a draft is saved when the editor %s', async (_, script, status, expected) => {
  const setup = await setUpEditor(script)
  const before = await setup.entries()
  setup.terminal.runTt('edit 1')
  await setup.terminal.waitForText(`exit=${status}`)
  expect(screen(setup)).toContain(expected)
  expect(readDraft(setup)).toMatch(/^typed$/m)
  expect(await setup.entries()).toEqual(before)
})

test('no draft is saved without changes', async () => {
  const setup = await setUpEditor('exit 3')
  setup.terminal.runTt('edit 1')
  await setup.terminal.waitForText('exit=1')
  expect(screen(setup)).not.toContain('saved in')
  expect(readdirSync(setup.drafts)).toEqual([])
})

test('Ctrl-C goes to the editor, which may continue', async () => {
  const setup = await setUpEditor(
    `trap 'echo got it' INT; echo ready; read line || read line; sed -i "s/^  second/  $line/" "$1"`,
  )
  setup.terminal.runTt('edit 1')
  await setup.terminal.waitForText('ready')
  setup.terminal.type('', 'C-c')
  await setup.terminal.waitForText('got it')
  setup.terminal.type('typed', 'Enter')
  await setup.terminal.waitForText('exit=0')
  expect(await setup.entries()).toMatchObject([{ notes: 'first\ntyped' }, {}])
})

test('Ctrl-C that ends the editor exits with 130 and saves a draft', async () => {
  const setup = await setUpEditor(`echo typed >> "$1"; echo ready; exec sleep 600`)
  setup.terminal.runTt('edit 1')
  await setup.terminal.waitForText('ready')
  setup.terminal.type('', 'C-c')
  await setup.terminal.waitForText('exit=130')
  expect(readDraft(setup)).toMatch(/^typed$/m)
  expect(await setup.entries()).toMatchObject([{ notes: 'first\nsecond' }, {}])
})

test('an editor that exits at once with invalid text ends tt edit after the second time', async () => {
  const setup = await setUpEditor(`echo "typed $$" >> "$1"; echo run >> ~/runs`)
  setup.terminal.runTt('edit 1')
  await setup.terminal.waitForText('exit=2')
  expect(screen(setup)).toContain('The editor ended at once twice.')
  expect(readFileSync(join(setup.home, 'runs'), 'utf8')).toBe('run\nrun\n')
  expect(readDraft(setup)).toMatch(/^typed \d+$/m)
  expect(await setup.entries()).toMatchObject([{ notes: 'first\nsecond' }, {}])
})

test('an editor with invalid text that ends without a status at Ctrl-C does not open again', async () => {
  const setup = await setUpEditor(
    `trap 'echo "typed $$" >> "$1"; exit 0' INT; echo run >> ~/runs; echo ready; read line`,
  )
  setup.terminal.runTt('edit 1')
  await setup.terminal.waitForText('ready')
  await new Promise((resolve) => setTimeout(resolve, 1100)) // Longer than an exit at once.
  setup.terminal.type('', 'C-c')
  await setup.terminal.waitForText('exit=130')
  expect(readFileSync(join(setup.home, 'runs'), 'utf8')).toBe('run\n')
  expect(readDraft(setup)).toMatch(/^typed \d+$/m)
})

test('Ctrl-C at a prompt of the editor loop ends tt edit', async () => {
  const setup = await setUpEditor(`sed -i 's/^task: .*/task: website/' "$1"; echo run >> ~/runs`)
  setup.terminal.runTt('edit 1')
  await setup.terminal.waitForText('"website" matches several tasks:')
  setup.terminal.type('', 'C-c')
  await setup.terminal.waitForText('exit=130')
  expect(readFileSync(join(setup.home, 'runs'), 'utf8')).toBe('run\n')
  expect(await setup.entries()).toMatchObject([{ task: 'Design' }, {}])
})

test('a missing editor is named in the error', async () => {
  const setup = await setUpEditor('true', { env: { EDITOR: '/nonesuch/editor --wait' } })
  setup.terminal.runTt('edit 1')
  await setup.terminal.waitForText('exit=1')
  expect(screen(setup)).toContain(
    'The editor /nonesuch/editor cannot be started: there is no such program. Nothing was changed.',
  )
  expect(readdirSync(setup.drafts)).toEqual([])
})

test('VISUAL takes precedence over EDITOR, and is split into arguments without a shell', async () => {
  const setup = await setUpEditor(`printf '%s\\n' "$@" > ~/words`)
  const editor = join(setup.home, 'my editor')
  setup.terminal.type(`export VISUAL="'${editor}' --wait '\\$(touch canary)' ; a"`, 'Enter')
  setup.terminal.runTt('edit 1')
  await setup.terminal.waitForText('exit=0')
  const argv = readFileSync(join(setup.home, 'words'), 'utf8').split('\n')
  expect(argv.slice(0, 4)).toEqual(['--wait', '$(touch canary)', ';', 'a'])
  expect(argv[4]).toMatch(/entries\.txt$/)
  expect(existsSync(join(setup.home, 'canary'))).toBe(false)
})

test.each(['edit 1 --no-input', 'edit 1 --json', 'edit 1 </dev/null', 'edit 1 2>messages'])(
  'tt %s opens no editor and exits with 2',
  async (line) => {
    const setup = await setUpEditor('touch ~/opened')
    setup.terminal.runTt(line)
    await setup.terminal.waitForText('exit=2')
    expect(existsSync(join(setup.home, 'opened'))).toBe(false)
  },
)

test('the output of the editor is not part of redirected output', async () => {
  const setup = await setUpEditor(`echo drawn; sed -i 's/^  second/  other/' "$1"`)
  setup.terminal.runTt('edit 1 >out')
  await setup.terminal.waitForText('exit=0')
  expect(setup.terminal.screen()).toContain('drawn')
  expect(readFileSync(join(setup.home, 'out'), 'utf8')).toMatch(/^1\t/)
})

test('a concurrent change elsewhere is preserved and shown, and the draft can still be sent', async () => {
  const setup = await setUpEditor(
    `sed -i 's/^  second/  here/' "$1"; '${process.execPath}' '${bin}' edit 1 -n there --quiet`,
  )
  setup.terminal.runTt('edit 1')
  await setup.terminal.waitForText('exit=0')
  expect(screen(setup)).toContain('Changed elsewhere:')
  expect(await setup.entries()).toMatchObject([{ notes: 'there' }, {}])
  const [conflict] = await setup.json<Row[]>('sync', 'list')
  await setup.json('sync', 'retry', String(conflict?.id))
  expect(await setup.entries()).toMatchObject([{ notes: 'first\nhere' }, {}])
})

test('an overlap caused by an edit is reported with the command that resolves it', async () => {
  const setup = await setUpEditor(`sed -i 's/^to: .*10:00/to: 10:30/' "$1"`)
  setup.terminal.runTt('edit 1')
  await setup.terminal.waitForText('exit=0')
  expect(screen(setup)).toMatch(/Overlap of 30m, .*To remove the overlap: tt edit 1 --to "2024-05-01 10:00"/)
})

test('a running entry can be ended in the form, and a finished one resumed', async () => {
  const setup = await setUpEditor(
    `if grep -q running$ "$1"; then sed -i 's/^to: running/to: now/' "$1"; else sed -i 's/^to: .*/to:/' "$1"; fi`,
  )
  setup.terminal.runTt('edit 2')
  await setup.terminal.waitForText('exit=0')
  expect(await setup.entries()).toMatchObject([{}, { running: true }])
  expect(await setup.json('status', '--cached')).toMatchObject({ id: 2 })
  setup.terminal.runTt('edit')
  await setup.terminal.waitForText('exit=0')
  expect(await setup.entries()).toMatchObject([{}, { running: false }])
  expect(await setup.json('status', '--cached')).toBeNull()
})

test('without VISUAL and EDITOR the first installed of editor, nano and vi is used', async () => {
  const setup = await setUpEditor(': > ~/taken', { editor: 'nano', env: { EDITOR: '', VISUAL: '' } })
  mkdirSync(join(setup.home, 'bin'))
  renameSync(join(setup.home, 'nano'), join(setup.home, 'bin', 'nano'))
  setup.terminal.type(`export PATH='${join(setup.home, 'bin')}':/nonesuch`, 'Enter')
  setup.terminal.runTt('edit 1')
  await setup.terminal.waitForText('exit=0')
  expect(existsSync(join(setup.home, 'taken'))).toBe(true)
})

test('vi receives all keys of the terminal', async ({ skip }) => {
  skip(spawnSync('vi', ['--version']).status !== 0, 'vi is not installed')
  const setup = await setUpEditor('true', { env: { EDITOR: 'vi', VISUAL: '' } })
  setup.terminal.runTt('edit 1')
  await setup.terminal.waitForText('entry 1')
  setup.terminal.type('', 'C-c')
  await setup.terminal.waitForText(/:qa/) // An interrupt discards keys that were typed too early.
  setup.terminal.type(':%s/  second/  typed/', 'Enter')
  await setup.terminal.waitForText('  typed')
  setup.terminal.type(':wq', 'Enter')
  await setup.terminal.waitForText('exit=0')
  expect(await setup.entries()).toMatchObject([{ notes: 'first\ntyped' }, {}])
})
