import { expect, test } from 'vitest'
import { type FrameInput, frameLines } from '../../../../src/commands/watch/frame.js'
import { addTasks, createTaskPicker, type TaskPicker } from '../../../../src/commands/watch/screen-session.js'
import { commands } from '../../../../src/program/declarations/timer.js'
import { workCalendar } from '../../../../src/report/work-calendar.js'
import { watchKeyRows, watchKeys } from '../../../../src/ui/keys.js'
import { displayWidth } from '../../../../src/ui/text.js'
import { plainStyle } from '../../../../src/ui/view.js'
import { entryAt, linkNamed, stateWith } from './watch-fixtures.js'

const entries = [
  entryAt(1, '09:00', '10:30', { notes: 'first page #logo' }),
  entryAt(2, '10:30', '12:00', { task: 'Review' }),
  entryAt(3, '12:41', null, { notes: 'second page', pending: true }),
]
const calendar = workCalendar({
  ...{ workingDays: [1, 2, 3, 4, 5], holidays: new Set<string>(), targetSince: undefined },
  targets: [0, 1, 1, 1, 1, 1, 0].map((hours) => hours * 28_800),
})

const open = (picker: TaskPicker, question = 'Start which task?') => ({ question, action: 'start', picker })

function frame(input: Partial<FrameInput> = {}): string[] {
  return frameLines({
    now: new Date('2024-05-01T14:05:07'),
    state: stateWith(entries, { calendar }),
    profile: 'local workspace',
    connection: { kind: 'local' },
    messages: [],
    isBusy: false,
    picker: undefined,
    scroll: 0,
    columns: 120,
    rows: 20,
    style: plainStyle,
    unicode: true,
    ...input,
  })
}

test('shows the timer, the progress, the entries of today and the keys', () => {
  expect(frame()).toEqual([
    `tt watch: local workspace${' '.repeat(75)}Wed 2024-05-01 14:05`,
    '',
    '1:24:07  Acme / Website / Design  since 12:41  pending',
    '         second page',
    `Today  4h 24m of  8h 00m  ${'█'.repeat(16)}▌${' '.repeat(12)}│`,
    `Week   4h 24m of 40h 00m  ███▎${' '.repeat(25)}│  19h 36m due today`,
    '',
    '09          10          11          12          13          14',
    '████████████████████████████████████········█████████████████',
    '█ Website 4h 24m',
    '',
    '09:00–10:30  1h 30m  Acme / Website / Design  first page #logo',
    '10:30–12:00  1h 30m  Acme / Website / Review',
    '12:41–       1h 24m  Acme / Website / Design  pending  second page',
    ...Array.from({ length: 5 }, () => ''),
    's switch   x stop   c continue   e edit   u undo   ↑↓ scroll   ? help   q quit',
  ])
})

test('shows entries without a target by their total, and offers to start without a timer', () => {
  const lines = frame({ state: stateWith(entries.slice(0, 2)) })
  expect(lines[2]).toBe('No timer is running.')
  expect(lines[3]).toBe('Today 3h 00m, 2 entries.')
  expect(lines.at(-1)).toBe('s start   c continue   e edit   u undo   ↑↓ scroll   ? help   q quit')
  expect(frame({ state: stateWith([]) })).toContain('Nothing was tracked today.')
})

test.each([
  [60, 8],
  [60, 20],
  [20, 4],
  [10, 2],
  [1, 1],
])('fits into %i columns and %i rows, and keeps the keys on the last line', (columns, rows) => {
  const messages = [{ kind: 'error' as const, text: 'The database cannot be opened. '.repeat(12) }]
  for (const input of [{}, { messages }, { picker: open(createTaskPicker(entries)) }]) {
    const lines = frame({ columns, rows, ...input })
    expect(lines).toHaveLength(rows)
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
    if (columns >= 60) expect(lines.at(-1)).toMatch(/q quit$|Esc back$/)
    else expect(lines.at(-1)).not.toBe('')
  }
})

test('a low screen shows the latest entries, and how many are earlier', () => {
  const many = Array.from({ length: 9 }, (_, hour) => entryAt(hour, `0${hour}:00`, `0${hour}:30`))
  const state = stateWith(many)
  expect(frame({ state, rows: 8 }).slice(3, 7)).toEqual([
    '… 6 earlier',
    ...['06', '07', '08'].map((hour) => `${hour}:00–${hour}:30  30m  Acme / Website / Design`),
  ])
  expect(frame({ state, rows: 8, scroll: 3 }).slice(3, 7)).toEqual([
    '… 3 earlier',
    '03:00–03:30  30m  Acme / Website / Design',
    '04:00–04:30  30m  Acme / Website / Design',
    '… 4 later',
  ])
  expect(frame({ state, rows: 8, scroll: 99 })[3]).toMatch(/^00:00/)
})

test('the hours of the day show gaps and the projects in order of their time', () => {
  const other = entryAt(4, '12:00', '12:30')
  const state = stateWith([
    entryAt(1, '09:00', '10:00'),
    { ...other, link: other.link && { ...other.link, project: { id: 2, name: 'App' } } },
  ])
  expect(frame({ state, columns: 40 }).slice(5, 8)).toEqual([
    '09    10    11    12    13    14',
    '██████············▓▓▓··········',
    '█ Website 1h 00m   ▓ App 30m',
  ])
  expect(frame({ state, columns: 40, unicode: false })[6]).toBe('######............===..........')
  expect(frame({ state, columns: 40, rows: 17 }).join('\n')).not.toContain('█')
})

test('an entry since yesterday counts with its part of today', () => {
  const state = stateWith([entryAt(1, '2024-04-30T22:00', '01:30')])
  expect(frame({ state })).toContain('…–01:30  1h 30m  Acme / Website / Design')
})

test('shows that the service cannot be reached, pending changes and errors', () => {
  const lines = frame({
    state: stateWith(entries, { pendingChanges: 2 }),
    connection: { kind: 'offline', reason: 'The service cannot be reached (timeout).' },
    messages: [{ kind: 'error', text: 'No timer is running.' }],
  })
  expect(lines[0]).toContain('tt watch: local workspace  offline, 2 pending  ')
  expect(lines.slice(-3, -1)).toEqual([
    'Offline: The service cannot be reached (timeout).',
    'error: No timer is running.',
  ])
})

test('shows rejected changes, and why pending ones could not be sent', () => {
  const failure = 'The token lacks the scope service:write.'
  const lines = frame({ state: stateWith(entries, { pendingChanges: 1, rejectedChanges: 2, failure }) })
  expect(lines[0]).toContain('tt watch: local workspace  1 pending, 2 rejected  ')
  expect(lines.at(-2)).toBe(`Not sent: ${failure}`)
})

test('shows for how long this machine slept while the timer ran', () => {
  const state = stateWith([entryAt(1, '09:00', null, { notes: 'first' })], { sleptSeconds: 7200 })
  const slept = 'This machine slept for 2h 00m of that time.'
  const lines = frame({ state }).map((line) => line.trim())
  expect(lines.indexOf(slept)).toBe(lines.indexOf('first') + 1)
  expect(frame({ state, rows: 8 })).toContain(slept)
  expect(frame({ state: { ...state, sleptSeconds: undefined } }).join()).not.toContain('slept')
})

test('text of entries cannot control the terminal', () => {
  const hostile = entryAt(1, '09:00', null, { task: 'a\u001b[2Jb', notes: 'c\u001b]0;title\u0007\u202ed' })
  const text = frame({ state: stateWith([hostile]) }).join('\n')
  for (const control of ['\u001b', '\u0007', '\u202e']) expect(text).not.toContain(control)
  expect(text).toContain('a\\x1b[2Jb')
})

test('offers recent tasks with their notes, the latest first and each once, then all active tasks', () => {
  const picker = createTaskPicker([
    entryAt(1, '08:00', '09:00', { notes: 'page' }),
    entryAt(2, '09:00', '10:00', { task: 'Review', linkId: 2 }),
    entryAt(3, '10:00', '11:00', { notes: 'page' }),
    entryAt(4, '11:00', null, { notes: 'running now' }),
  ])
  addTasks(picker, [linkNamed('Design'), linkNamed('Review', 2), { ...linkNamed('Old', 3), active: false }])
  expect(picker.rows.map(({ name, detail }) => [name, detail])).toEqual([
    ['Acme / Website / Design', 'page'],
    ['Acme / Website / Review', undefined],
    ['Acme / Website / Design', undefined],
  ])
})

test('the picker shows the typed text, and the task that it creates as the last row', () => {
  const picker = createTaskPicker(entries)
  picker.createChoice = (typed) => ({ name: `Create ${typed} / General`, value: { created: typed } })
  picker.press({ pasted: 'Rev' })
  const lines = frame({ state: stateWith([]), picker: open(picker), columns: 60 })
  expect(lines.slice(5, 9)).toEqual([
    'Start which task? Rev▏',
    '❯ Acme / Website / Review',
    '  Create Rev / General',
    '',
  ])
})

test('the list of tasks scrolls to the selected one', () => {
  const picker = createTaskPicker([])
  addTasks(
    picker,
    Array.from({ length: 30 }, (_, id) => entryAt(id, '09:00', null, { task: `Task ${id}`, linkId: id + 1 }))
      .map(({ link }) => link)
      .filter((link) => link !== undefined),
  )
  for (let step = 0; step < 20; step++) picker.press({ name: 'down' })
  const lines = frame({ picker: open(picker), rows: 8, state: stateWith([]) })
  expect(lines[3]).toBe('Start which task? ▏')
  expect(lines).toContain('❯   Acme / Website / Task 20')
})

test('tt watch --help lists every key of the table', () => {
  const text = JSON.stringify(commands.watch.notes)
  expect(watchKeys.flatMap(({ keys }) => keys)).toEqual(
    expect.arrayContaining(['s', '/', 'x', 'c', 'e', 'u', '?', 'q']),
  )
  for (const { term, meaning } of watchKeyRows()) expect(text).toContain(JSON.stringify({ term, meaning }))
})
