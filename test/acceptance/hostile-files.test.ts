import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { tarEnd, tarHeader, tarPadding } from '../../src/backup/archive/tar.js'
import { bin, cleanEnvironment, peakHook, run, temporaryDirectory } from '../support/process.js'
import { share } from '../support/share.js'

/** Runs `tt` in a home, and measures its memory (maximum resident set) and time (of the processor: other tests run too). */
async function measure(home: string, ...argv: string[]) {
  const [usage, hook, peak] = [join(home, 'usage.json'), join(home, 'usage.cjs'), join(home, 'peak')]
  writeFileSync(
    hook,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(usage)}, JSON.stringify(process.resourceUsage())))`,
  )
  const env = cleanEnvironment({
    TT_HOME: home,
    NODE_OPTIONS: `--require ${hook} --require ${peakHook}`,
    BENCH_PEAK: peak,
  })
  const { status, stdout, stderr } = await run(process.execPath, [bin, ...argv], { env, cwd: home })
  const { userCPUTime, systemCPUTime } = JSON.parse(readFileSync(usage, 'utf8'))
  return {
    ...{ status, stdout, stderr },
    megabytes: Number(readFileSync(peak, 'utf8')) / 1024,
    processorSeconds: (userCPUTime + systemCPUTime) / 1e6,
  }
}

/** Expects the limits of a command that reads a file of someone else. */
function expectWithinLimits({ megabytes, processorSeconds }: Awaited<ReturnType<typeof measure>>) {
  expect(megabytes).toBeLessThan(256)
  expect(processorSeconds).toBeLessThan(10)
}

/** Returns a text of this number of parts. */
const repeat = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join('')

const calendar = (...lines: string[]) => ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR', ''].join('\n')
const event = (...lines: string[]) =>
  ['BEGIN:VEVENT', 'DTSTART:20200101T090000', 'DTEND:20200101T100000', ...lines, 'END:VEVENT'].join('\n')
const eventOf = (duration: string) =>
  ['BEGIN:VEVENT', 'DTSTART:20200101T090000', `DURATION:${duration}`, 'END:VEVENT'].join('\n')
const zone = (rule: string, name = 'Z') =>
  ['BEGIN:VTIMEZONE', `TZID:${name}`, 'BEGIN:STANDARD', 'DTSTART:19700101T000000', `RRULE:${rule}`]
    .concat('TZOFFSETFROM:+0100', 'TZOFFSETTO:+0200', 'END:STANDARD', 'END:VTIMEZONE')
    .join('\n')
const zonedEvent = [
  'BEGIN:VEVENT',
  'UID:1',
  'DTSTART;TZID=Z:20240501T090000',
  'DTEND;TZID=Z:20240501T100000',
  'SUMMARY:zoned',
  'END:VEVENT',
].join('\n')

const endless = 'RRULE:FREQ=SECONDLY'
const trillionWeeks = eventOf('P999999999999W')

/** Calendars of a few lines that would take hours, for each reader of calendars. */
const calendars: [string, string][] = [
  ['a time zone that changes each minute', calendar(zone('FREQ=MINUTELY'), zonedEvent)],
  ['an event that never occurs', calendar(event(`${endless};BYMONTH=2;BYMONTHDAY=30`))],
  ['many events each second', calendar(...Array(500).fill(event(endless)))],
]

/** An import reads each event separately, so that a run can have several that are refused at once. */
const refusedAtOnce = [
  trillionWeeks,
  // These reach other limits in the library that both readers use: an interval, fifth Mondays, and a length.
  event('RRULE:FREQ=DAILY;INTERVAL=1000000000000'),
  event('RRULE:FREQ=MONTHLY;BYDAY=5MO;INTERVAL=24;BYMONTHDAY=1'),
  eventOf(`PT${'9'.repeat(400)}S`),
]

describe('tt import of a calendar', () => {
  const imported = share<[string, string, number[]]>('imported calendars', [
    ...calendars.map(([name, text]): [string, string, number[]] => [name, text, [2]]),
    ['a time zone without changes', calendar(zone('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'), zonedEvent), [2]],
    ['each event of rules and durations without end', calendar(...refusedAtOnce), [2, 6, 11, 16]],
  ])
  test.each(imported)('names the line of %s', async (_, text, lines) => {
    const home = temporaryDirectory()
    writeFileSync(join(home, 'bomb.ics'), text)
    const measured = await measure(home, 'import', 'bomb.ics', '--task', 'P/T', '--dry-run')
    for (const line of lines) expect(`${measured.stdout}${measured.stderr}`).toContain(`bomb.ics:${line}:`)
    expectWithinLimits(measured)
  })
})

describe('the holidays file', () => {
  const holidays = share('calendars of holidays', [
    ...calendars,
    ['an event of a trillion weeks', calendar(trillionWeeks)],
  ])
  test.each(holidays)('is refused with %s', async (_, text) => {
    const home = temporaryDirectory()
    const path = join(home, 'bomb.ics')
    writeFileSync(path, text)
    const measured = await measure(home, 'config', 'set', 'holidays_file', path)
    expect(measured).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`The holidays file ${path}`),
    })
    expectWithinLimits(measured)
  })

  test('may have thousands of events', async () => {
    const home = temporaryDirectory()
    const path = join(home, 'many.ics')
    const day = 'BEGIN:VEVENT\nDTSTART;VALUE=DATE:20240501\nEND:VEVENT'
    const changed =
      'BEGIN:VEVENT\nUID:1\nDTSTART;VALUE=DATE:20240501\nRECURRENCE-ID;VALUE=DATE:20240501\nEND:VEVENT'
    writeFileSync(path, calendar(...Array(2000).fill(day), ...Array(1200).fill(changed)))
    const measured = await measure(home, 'config', 'set', 'holidays_file', path)
    expect(measured).toMatchObject({ status: 0 })
    expectWithinLimits(measured)
  })
})

const longRepetition = event('RDATE;VALUE=PERIOD:20200102T090000/P999999999999W')

/** Files of all formats that are larger, deeper or more frequent than an entry needs. */
const files = share<[string, string, () => string]>('hostile files', [
  [
    'a calendar with a rule of many parts',
    'a.ics',
    () =>
      calendar(
        event(
          `RRULE:FREQ=YEARLY;BYMONTH=${Array(3000).fill(2)};BYDAY=${Array(3000).fill('5MO')};BYSETPOS=99`,
        ),
      ),
  ],
  [
    'a calendar with an event of a million properties',
    'a.ics',
    () => `BEGIN:VCALENDAR\nBEGIN:VEVENT\n${'SUMMARY:a\n'.repeat(1e6)}END:VEVENT\nEND:VCALENDAR\n`,
  ],
  [
    'a calendar with a million categories',
    'a.ics',
    () => `BEGIN:VCALENDAR\nBEGIN:VEVENT\nCATEGORIES:a${',a'.repeat(1e6)}\nEND:VEVENT\nEND:VCALENDAR\n`,
  ],
  [
    'a calendar with a million excluded dates',
    'a.ics',
    () =>
      [
        'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20200101T090000\nRRULE:FREQ=DAILY',
        `EXDATE:20200101T090000${',20200101T090000'.repeat(1e6)}`,
        'END:VEVENT\nEND:VCALENDAR\n',
      ].join('\n'),
  ],
  [
    'a calendar with 100,000 changes of an event',
    'a.ics',
    () =>
      [
        'BEGIN:VCALENDAR\n',
        `${event('UID:1', 'RECURRENCE-ID:20200101T090000')}\n`.repeat(1e5),
        `${event('UID:1', 'RRULE:FREQ=DAILY')}\nEND:VCALENDAR\n`,
      ].join(''),
  ],
  [
    'a calendar with 50,000 time zones',
    'a.ics',
    () =>
      `BEGIN:VCALENDAR\n${repeat(5e4, (index) => `${zone('FREQ=YEARLY', `Z${index}`)}\n`)}END:VCALENDAR\n`,
  ],
  ['a calendar with a repetition of a trillion weeks', 'a.ics', () => calendar(longRepetition)],
  ['deeply nested JSON', 'a.json', () => '['.repeat(6e6)],
  ['a deeply nested JSON value', 'a.json', () => `[{"start":${'['.repeat(3e6)}${']'.repeat(3e6)}}]`],
  [
    'a JSON value with a million keys',
    'a.json',
    () => `[{${repeat(5e5, (index) => `"k${index}":1,`)}"start":"20240501T090000Z"}]`,
  ],
  [
    'a CSV field without end',
    'a.csv',
    () => `project,task,start,end\n"${`${'x'.repeat(99)}\n`.repeat(2e7 / 100)}`,
  ],
  ['a CSV row of two million columns', 'a.csv', () => `project,task,start,end\n${'a,'.repeat(2e6)}\n`],
  ['a CSV header of two million columns', 'a.csv', () => `${'a,'.repeat(2e6)}\na\n`],
  ['a line of 20 million characters', 'a.klg', () => `2024-05-01\n    ${'x'.repeat(2e7)}`],
  ['a klog summary of a million tags', 'a.klg', () => `2024-05-01\n    8:00 - 9:00 ${'#a '.repeat(1e6)}`],
])

describe('tt import', () => {
  test.each(files)('reads or refuses %s', { timeout: 120_000 }, async (_, name, text) => {
    const home = temporaryDirectory()
    writeFileSync(join(home, name), text())
    const measured = await measure(home, 'import', name, '--task', 'P/T', '--dry-run')
    expect([0, 1, 2]).toContain(measured.status)
    expect(measured.stderr).not.toContain('Internal error')
    expectWithinLimits(measured)
  })
})

const megabyte = 1024 * 1024
const manifest = (bytes?: number) =>
  JSON.stringify({
    ...{ format: 'tt-backup', version: 1, created_at: '2024-05-01T00:00:00Z', tt_version: '0.1.0', bytes },
    records: { entries: 0, expenses: 0, pending: 0 },
  })

const compress = (...parts: Buffer[]) => gzipSync(Buffer.concat(parts), { level: 1 })
const compressedMegabyte = compress(Buffer.alloc(megabyte))

/**
 * Writes an archive with a manifest, these files of zeros, and zeros after its end. It consists of members (RFC 1952
 * section 2.2): one that repeats need not be compressed again.
 */
function writeBackup(path: string, text: string, sizes: Iterable<[string, number]>, rest = 0) {
  const at = new Date(0)
  const members: Buffer[] = []
  let tar = [tarHeader('manifest.json', text.length, at), Buffer.from(text), tarPadding(text.length)]
  const addZeros = (bytes: number) => {
    const count = Math.floor(bytes / megabyte)
    if (count > 0) {
      members.push(compress(...tar), ...Array(count).fill(compressedMegabyte))
      tar = []
    }
    tar.push(Buffer.alloc(bytes % megabyte))
  }
  for (const [name, size] of sizes) {
    tar.push(tarHeader(name, size, at))
    addZeros(size)
    tar.push(tarPadding(size))
  }
  tar.push(tarEnd)
  addZeros(rest)
  writeFileSync(path, Buffer.concat([...members, compress(...tar)]))
}

const states = (count: number): [string, number][] =>
  Array.from({ length: count }, (_, index) => [`profiles/p${index}/state.db`, 1])

const backups = share<[string, string, [string, number][], number?]>('hostile backups', [
  ['a database of a gigabyte', manifest(), [['workspace.db', 1024 * megabyte]]],
  ['a declared gigabyte', manifest(1024 * megabyte), [['workspace.db', 1024 * megabyte]]],
  ['less declared than contained', manifest(100), [['workspace.db', 50 * megabyte]]],
  ['a gigabyte after its end', manifest(), [], 1024 * megabyte],
  ['settings of 60 MB', manifest(), [['config.json', 60 * megabyte]]],
  ['20,000 files', manifest(), states(20_000)],
])

test.each(backups)('tt restore refuses a backup with %s', async (_, text, sizes, rest) => {
  const home = temporaryDirectory()
  writeBackup(join(home, 'bomb.tar.gz'), text, sizes, rest)
  expect(statSync(join(home, 'bomb.tar.gz')).size).toBeLessThan(8 * megabyte)
  const measured = await measure(home, 'restore', 'bomb.tar.gz', '--yes')
  expect(measured).toMatchObject({ status: 1, stderr: expect.stringContaining('is refused: ') })
  expectWithinLimits(measured)
  expect(existsSync(join(home, 'restore.work'))).toBe(false)
  expect(readdirSync(home).filter((name) => /workspace|config.json|profiles/.test(name))).toEqual([])
})

test.each([
  ['.tt.json', `{"task": ${'['.repeat(32_000)}${']'.repeat(32_000)}}`],
  ['config.json', '['.repeat(5e5)],
  ['aliases.json', `{"a": ${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
])('a command is not stopped by a hostile %s', async (name, text) => {
  const home = temporaryDirectory()
  writeFileSync(join(home, name), text)
  const measured = await measure(home, 'status', '--json')
  expect(measured.stderr).not.toContain('Internal error')
  expectWithinLimits(measured)
})

test('tt import reads a mapping file of 100,000 patterns', async () => {
  const home = temporaryDirectory()
  const patterns = repeat(1e5, (index) => `*,p${index},*,P/T\n`)
  const rows = repeat(1000, (index) => `x${index},t,2024-05-01 09:00,2024-05-01 10:00\n`)
  writeFileSync(join(home, 'map.csv'), `client,project,task,task_link\n${patterns}`)
  writeFileSync(join(home, 'a.csv'), `project,task,start,end\n${rows}`)
  const measured = await measure(home, 'import', 'a.csv', '--map', 'map.csv', '--task', 'P/T', '--dry-run')
  expect(measured.stderr).not.toContain('Internal error')
  expectWithinLimits(measured)
})

test('tt alias import refuses a file of 100 MB', async () => {
  const home = temporaryDirectory()
  writeFileSync(join(home, 'a.json'), `{"a": "${'x'.repeat(1e8)}"}`)
  const measured = await measure(home, 'alias', 'import', 'a.json')
  expect(measured).toMatchObject({ status: 2, stderr: expect.stringContaining('larger than 64 KiB') })
  expectWithinLimits(measured)
})
