import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { bin, temporaryDirectory, tt } from '../support/process.js'
import { isTmuxMissing, openTerminal, type Terminal } from '../support/terminal.js'

beforeEach(({ skip }) => skip(isTmuxMissing, 'tmux is not installed'))

type Row = Record<string, unknown>

interface AtHome {
  home: string
  terminal: Terminal
  entries(): Promise<Row[]>
  /** Where drafts are. */
  drafts: string
}

/** A home with two entries of a day, and a terminal where EDITOR is a script with these lines, the file being "$1". */
async function atHome(
  script: string,
  { editor = 'my editor', env = {} as Record<string, string> } = {},
): Promise<AtHome> {
  const home = temporaryDirectory()
  const drafts = join(home, 'drafts')
  mkdirSync(drafts)
  for (const [task, from, notes] of [
    ['Website/Design', '9:00', 'first\nsecond'],
    ['Website/Review', '10:00', ''],
  ] as const) {
    const line = ['add', task, '--from', `2024-05-01 ${from}`, '--for', '1h', '-n', notes]
    expect(await tt(home, line)).toMatchObject({ status: 0 })
  }
  const path = join(home, editor)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o700)
  const terminal = openTerminal(home, { TMPDIR: drafts, EDITOR: `"${path}"`, ...env })
  const entries = async () =>
    JSON.parse((await tt(home, ['log', '--since', '2024-05-01', '--json'])).stdout) as Row[]
  return { home, terminal, entries, drafts }
}

/** What is on the screen, on one line. */
const screen = ({ terminal }: AtHome) => terminal.scrollback().replace(/\s+/g, ' ')

test('entries are edited in a form, several at once, and that is one change for undo', async () => {
  const place = await atHome(
    `cp "$1" ~/seen; stat -c %a "$1" "$(dirname "$1")" > ~/modes
     sed -i -e 's/^  second/  second, changed\\n  third/' -e 's/^to: .*11:00/to: 11:30/' -e 's/Review$/Design/' "$1"`,
  )
  const { home, terminal, entries, drafts } = place
  terminal.runTt('edit 1 2')
  await terminal.waitForText('exit=0')
  expect(readFileSync(join(home, 'seen'), 'utf8')).toContain(
    'entry 1\ntask: Website / Design\nfrom: 2024-05-01 09:00\nto: 2024-05-01 10:00\nnotes: first\n  second\n\nentry 2\n',
  )
  expect(readFileSync(join(home, 'modes'), 'utf8')).toBe('600\n700\n')
  expect(await entries()).toMatchObject([
    { notes: 'first\nsecond, changed\nthird', duration_seconds: 3600 },
    { task: 'Design', duration_seconds: 5400 },
  ])
  expect(screen(place)).toContain('Changed entry 2: Website / Design, 1h 30m (2024-05-01 10:00–11:30).')
  expect(readdirSync(drafts)).toEqual([])
  await tt(home, ['undo'])
  expect(await entries()).toMatchObject([
    { notes: 'first\nsecond' },
    { task: 'Review', duration_seconds: 3600 },
  ])
})

test('what is wrong opens the editor again, with the text as it was and the error at its place', async () => {
  const place = await atHome(
    `if grep -q '^# error' "$1"; then cp "$1" ~/again; sed -i 's/^to: 8:00/to: 9:45/' "$1"
     else sed -i -e 's/^to: .*/to: 8:00/' -e 's/^  second/  kept/' "$1"; fi`,
  )
  place.terminal.runTt('edit 1')
  await place.terminal.waitForText('exit=0')
  expect(readFileSync(join(place.home, 'again'), 'utf8')).toContain(
    '# error: The end, 2024-05-01 08:00, is before the start, 2024-05-01 09:00.\nto: 8:00\nnotes: first\n  kept\n',
  )
  expect(screen(place)).toContain('The editor opens again with your text.')
  expect(await place.entries()).toMatchObject([{ notes: 'first\nkept', duration_seconds: 2700 }, {}])
})

test('an unknown task is such an error as well', async () => {
  const place = await atHome(
    `if grep -q '^# error' "$1"; then cp "$1" ~/again; sed -i 's/^task: .*/task: review/' "$1"
     else sed -i 's/^task: .*/task: nonesuch/' "$1"; fi`,
  )
  place.terminal.runTt('edit 1')
  await place.terminal.waitForText('exit=0')
  expect(readFileSync(join(place.home, 'again'), 'utf8')).toMatch(
    /^# error: "nonesuch" matches no task\..*\ntask: nonesuch$/m,
  )
  expect(await place.entries()).toMatchObject([{ task: 'Review' }, {}])
})

test.each([
  ['is left as it is', 'true', 'Nothing was changed.'],
  ['is emptied', ': > "$1"', 'Nothing was changed.'],
  ['is removed', 'rm "$1"', 'Nothing was changed.'],
  ['has nothing but comments', `sed -i '/^#/!d' "$1"`, 'Nothing was changed.'],
  [
    'lacks a block',
    `sed -i '/^entry 2/,$d' "$1"`,
    'Entry 2 is unchanged: its block was removed. Run `tt rm 2` to delete it. Nothing was changed.',
  ],
])('a form that %s changes nothing', async (_, script, words) => {
  const place = await atHome(script)
  const before = await place.entries()
  place.terminal.runTt('edit 1 2')
  await place.terminal.waitForText('exit=0')
  expect(screen(place)).toContain(words)
  expect(await place.entries()).toEqual(before)
  expect(readdirSync(place.drafts)).toEqual([])
})

/** The draft that the screen names. */
function draftOf(place: AtHome): string {
  const path = /saved in\s+(\S+\.txt)\./.exec(place.terminal.scrollback().replace(/\n/g, ''))?.[1]
  if (path === undefined || !existsSync(path))
    throw new Error(`No draft is named: ${place.terminal.scrollback()}`)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  return readFileSync(path, 'utf8')
}

test.each([
  ['fails', `echo typed >> "$1"; exit 3`, 1, 'ended with status 3'],
  ['is killed', `echo typed >> "$1"; kill -9 $$`, 1, 'was ended by SIGKILL'],
  [
    'leaves an error as it is',
    `grep -q '^# error' "$1" || echo typed >> "$1"`,
    2,
    'The editor was closed without changes.',
  ],
])('what was typed is kept where the editor %s', async (_, script, status, words) => {
  const place = await atHome(script)
  const before = await place.entries()
  place.terminal.runTt('edit 1')
  await place.terminal.waitForText(`exit=${status}`)
  expect(screen(place)).toContain(words)
  expect(draftOf(place)).toMatch(/^typed$/m)
  expect(await place.entries()).toEqual(before)
})

test('nothing is kept where nothing was typed', async () => {
  const place = await atHome('exit 3')
  place.terminal.runTt('edit 1')
  await place.terminal.waitForText('exit=1')
  expect(screen(place)).not.toContain('saved in')
  expect(readdirSync(place.drafts)).toEqual([])
})

test('Ctrl-C is the editor’s own: one that lives on goes on', async () => {
  const survives = await atHome(
    `trap 'echo got it' INT; echo ready; read line || read line; sed -i "s/^  second/  $line/" "$1"`,
  )
  survives.terminal.runTt('edit 1')
  await survives.terminal.waitForText('ready')
  survives.terminal.type('', 'C-c')
  await survives.terminal.waitForText('got it')
  survives.terminal.type('typed', 'Enter')
  await survives.terminal.waitForText('exit=0')
  expect(await survives.entries()).toMatchObject([{ notes: 'first\ntyped' }, {}])
})

test('Ctrl-C that ends the editor ends the command with 130, and what was typed is kept', async () => {
  const place = await atHome(`echo typed >> "$1"; echo ready; exec sleep 600`)
  place.terminal.runTt('edit 1')
  await place.terminal.waitForText('ready')
  place.terminal.type('', 'C-c')
  await place.terminal.waitForText('exit=130')
  expect(draftOf(place)).toMatch(/^typed$/m)
  expect(await place.entries()).toMatchObject([{ notes: 'first\nsecond' }, {}])
})

test.each([
  [
    '/nonesuch/editor',
    'The editor /nonesuch/editor cannot be started: there is no such program. Nothing was changed.',
  ],
  ['nonesuch --wait', 'The editor nonesuch cannot be started'],
])('an editor that is not there is named: %s', async (EDITOR, words) => {
  const place = await atHome('true', { env: { EDITOR } })
  place.terminal.runTt('edit 1')
  await place.terminal.waitForText('exit=1')
  expect(screen(place)).toContain(words)
  expect(readdirSync(place.drafts)).toEqual([])
})

test('VISUAL goes before EDITOR, its words are split outside quotes, and no shell reads them', async () => {
  const place = await atHome(`printf '%s\\n' "$@" > ~/words`)
  const editor = join(place.home, 'my editor')
  place.terminal.type(`export VISUAL="'${editor}' --wait '\\$(touch canary)' ; a"`, 'Enter')
  place.terminal.runTt('edit 1')
  await place.terminal.waitForText('exit=0')
  const words = readFileSync(join(place.home, 'words'), 'utf8').split('\n')
  expect(words.slice(0, 4)).toEqual(['--wait', '$(touch canary)', ';', 'a'])
  expect(words[4]).toMatch(/entries\.txt$/)
  expect(existsSync(join(place.home, 'canary'))).toBe(false)
  // A path with spaces that exists needs no quotes.
  place.terminal.type(`export VISUAL="${editor}"`, 'Enter')
  place.terminal.runTt('edit 1')
  await place.terminal.waitForText('exit=0')
  expect(readFileSync(join(place.home, 'words'), 'utf8')).toMatch(/^\S+entries\.txt\n$/)
})

test.each(['edit 1 --no-input', 'edit 1 --json', 'edit 1 </dev/null', 'edit 1 2>messages'])(
  'tt %s opens no editor: it says what to give, with exit 2',
  async (line) => {
    const place = await atHome('touch ~/opened')
    place.terminal.runTt(line)
    await place.terminal.waitForText('exit=2')
    expect(existsSync(join(place.home, 'opened'))).toBe(false)
  },
)

test('what goes to a file is not what the editor shows', async () => {
  const place = await atHome(`echo drawn; sed -i 's/^  second/  other/' "$1"`)
  place.terminal.runTt('edit 1 >out')
  await place.terminal.waitForText('exit=0')
  expect(place.terminal.screen()).toContain('drawn')
  expect(readFileSync(join(place.home, 'out'), 'utf8')).toMatch(/^1\t/)
})

test('a concurrent change elsewhere is preserved and shown, and the draft can still be sent', async () => {
  const place = await atHome(
    `sed -i 's/^  second/  here/' "$1"; '${process.execPath}' '${bin}' edit 1 -n there --quiet`,
  )
  place.terminal.runTt('edit 1')
  await place.terminal.waitForText('exit=0')
  expect(screen(place)).toContain('Changed elsewhere:')
  expect(await place.entries()).toMatchObject([{ notes: 'there' }, {}])
  const [aside] = JSON.parse((await tt(place.home, ['sync', 'list', '--json'])).stdout) as Row[]
  expect(await tt(place.home, ['sync', 'retry', String(aside?.id)])).toMatchObject({ status: 0 })
  expect(await place.entries()).toMatchObject([{ notes: 'first\nhere' }, {}])
})

test('an overlap caused by an edit is reported with the command that resolves it', async () => {
  const place = await atHome(`sed -i 's/^to: .*10:00/to: 10:30/' "$1"`)
  place.terminal.runTt('edit 1')
  await place.terminal.waitForText('exit=0')
  expect(screen(place)).toMatch(/Overlap of 30m, .*To fix it: tt edit 1 --to "2024-05-01 10:00"/)
})

test('what runs can be ended, and what has ended can run again', async () => {
  const place = await atHome(
    `if grep -q running$ "$1"; then sed -i 's/^to: running/to: now/' "$1"; else sed -i 's/^to: .*/to:/' "$1"; fi`,
  )
  place.terminal.runTt('edit 2')
  await place.terminal.waitForText('exit=0')
  expect(await place.entries()).toMatchObject([{}, { running: true }])
  expect(JSON.parse((await tt(place.home, ['status', '--cached', '--json'])).stdout)).toMatchObject({ id: 2 })
  place.terminal.runTt('edit')
  await place.terminal.waitForText('exit=0')
  expect(await place.entries()).toMatchObject([{}, { running: false }])
  expect((await tt(place.home, ['status', '--cached', '--json'])).stdout).toBe('null\n')
})

test('without VISUAL and EDITOR the first of editor, nano and vi that is there is taken', async () => {
  const place = await atHome(': > ~/taken', { editor: 'nano', env: { EDITOR: '', VISUAL: '' } })
  mkdirSync(join(place.home, 'bin'))
  renameSync(join(place.home, 'nano'), join(place.home, 'bin', 'nano'))
  place.terminal.type(`export PATH='${join(place.home, 'bin')}':/nonesuch`, 'Enter')
  place.terminal.runTt('edit 1')
  await place.terminal.waitForText('exit=0')
  expect(existsSync(join(place.home, 'taken'))).toBe(true)
})

test('vi has the terminal, and its keys, to itself', async ({ skip }) => {
  skip(spawnSync('vi', ['--version']).status !== 0, 'vi is not installed')
  const place = await atHome('true', { env: { EDITOR: 'vi', VISUAL: '' } })
  place.terminal.runTt('edit 1')
  await place.terminal.waitForText('entry 1')
  place.terminal.type('', 'C-c')
  place.terminal.type(':%s/  second/  typed/', 'Enter')
  await place.terminal.waitForText('  typed')
  place.terminal.type(':wq', 'Enter')
  await place.terminal.waitForText('exit=0')
  expect(await place.entries()).toMatchObject([{ notes: 'first\ntyped' }, {}])
  place.terminal.runTt('edit 1')
  await place.terminal.waitForText('entry 1')
  place.terminal.type(':cq', 'Enter')
  await place.terminal.waitForText('exit=1')
  expect(readdirSync(place.drafts)).toEqual([])
})
