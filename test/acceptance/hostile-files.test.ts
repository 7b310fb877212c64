import { createWriteStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { tarEnd, tarHeader, tarPadding } from '../../src/backup/archive/tar.js'
import { bin, cleanEnvironment, peakHook, run, temporaryDirectory } from '../support/process.js'

/** The limits of a command that reads a file of someone else. */
const limits = { megabytes: 256, processorSeconds: 10 }

interface Measured {
  status: number | null
  stdout: string
  stderr: string
  megabytes: number
  processorSeconds: number
}

/** Runs `tt` in a home, and measures its memory (maximum resident set) and time (of the processor: other tests run too). */
async function measure(home: string, ...argv: string[]): Promise<Measured> {
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

function expectWithinLimits({ megabytes, processorSeconds }: Measured) {
  expect(megabytes).toBeLessThan(limits.megabytes)
  expect(processorSeconds).toBeLessThan(limits.processorSeconds)
}

/** Writes a file that is larger than a text in memory should be. */
async function writeChunks(path: string, chunks: Iterable<string>) {
  await pipeline(Readable.from(chunks), createWriteStream(path))
}

function* repeat(count: number, chunk: string | ((index: number) => string)): Generator<string> {
  for (let index = 0; index < count; index++) yield typeof chunk === 'string' ? chunk : chunk(index)
}

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

/** Calendars of a few lines that would take hours, for each reader of calendars. */
const calendars: [string, string][] = [
  ['a time zone that changes each minute', calendar(zone('FREQ=MINUTELY'), zonedEvent)],
  ['an event each second', calendar(event('RRULE:FREQ=SECONDLY'))],
  ['an event that never occurs', calendar(event('RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30'))],
  ['an event of a trillion weeks', calendar(eventOf('P999999999999W'))],
  ['many events each second', calendar(...Array(500).fill(event('RRULE:FREQ=SECONDLY')))],
]

/** Calendars that reach other limits in the library that both readers use. */
const libraryCalendars: [string, string][] = [
  ['a time zone without changes', calendar(zone('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'), zonedEvent)],
  ['an event with a huge interval', calendar(event('RRULE:FREQ=DAILY;INTERVAL=1000000000000'))],
  ['fifth Mondays', calendar(event('RRULE:FREQ=MONTHLY;BYDAY=5MO;INTERVAL=24;BYMONTHDAY=1'))],
  ['an event without end', calendar(eventOf(`PT${'9'.repeat(400)}S`))],
]

describe('tt import of a calendar', () => {
  test.each([...calendars, ...libraryCalendars])('names the line of %s', async (_, text) => {
    const home = temporaryDirectory()
    writeFileSync(join(home, 'bomb.ics'), text)
    const measured = await measure(home, 'import', 'bomb.ics', '--task', 'P/T', '--dry-run')
    expect(`${measured.stdout}${measured.stderr}`).toContain('bomb.ics:2:')
    expectWithinLimits(measured)
  })
})

describe('the holidays file', () => {
  test.each(calendars)('is refused with %s', async (_, text) => {
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
const files: [string, string, () => Iterable<string>][] = [
  [
    'a calendar with a rule of many parts',
    'a.ics',
    () => [
      calendar(
        event(
          `RRULE:FREQ=YEARLY;BYMONTH=${Array(3000).fill(2)};BYDAY=${Array(3000).fill('5MO')};BYSETPOS=99`,
        ),
      ),
    ],
  ],
  [
    'a calendar with an event of a million properties',
    'a.ics',
    () => ['BEGIN:VCALENDAR\nBEGIN:VEVENT\n', ...repeat(1e6, 'SUMMARY:a\n'), 'END:VEVENT\nEND:VCALENDAR\n'],
  ],
  [
    'a calendar with a million categories',
    'a.ics',
    () => [
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nCATEGORIES:a',
      ...repeat(1e6, ',a'),
      '\nEND:VEVENT\nEND:VCALENDAR\n',
    ],
  ],
  [
    'a calendar with a million excluded dates',
    'a.ics',
    () => [
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20200101T090000\nRRULE:FREQ=DAILY\nEXDATE:20200101T090000',
      ...repeat(1e6, ',20200101T090000'),
      '\nEND:VEVENT\nEND:VCALENDAR\n',
    ],
  ],
  [
    'a calendar with 100,000 changes of an event',
    'a.ics',
    () => [
      'BEGIN:VCALENDAR\n',
      ...repeat(1e5, `${event('UID:1', 'RECURRENCE-ID:20200101T090000')}\n`),
      `${event('UID:1', 'RRULE:FREQ=DAILY')}\nEND:VCALENDAR\n`,
    ],
  ],
  [
    'a calendar with 50,000 time zones',
    'a.ics',
    () => [
      'BEGIN:VCALENDAR\n',
      ...repeat(5e4, (index) => `${zone('FREQ=YEARLY', `Z${index}`)}\n`),
      'END:VCALENDAR\n',
    ],
  ],
  ['a calendar with a repetition of a trillion weeks', 'a.ics', () => [calendar(longRepetition)]],
  ['deeply nested JSON', 'a.json', () => repeat(6e6, '[')],
  [
    'a deeply nested JSON value',
    'a.json',
    () => ['[{"start":', ...repeat(3e6, '['), ...repeat(3e6, ']'), '}]'],
  ],
  [
    'a JSON value with a million keys',
    'a.json',
    () => ['[{', ...repeat(5e5, (index) => `"k${index}":1,`), '"start":"20240501T090000Z"}]'],
  ],
  [
    'a CSV field without end',
    'a.csv',
    () => ['project,task,start,end\n"', ...repeat(2e7 / 100, `${'x'.repeat(99)}\n`)],
  ],
  [
    'a CSV row of two million columns',
    'a.csv',
    () => ['project,task,start,end\n', ...repeat(2e6, 'a,'), '\n'],
  ],
  ['a CSV header of two million columns', 'a.csv', () => [...repeat(2e6, 'a,'), '\na\n']],
  ['a line of 20 million characters', 'a.klg', () => ['2024-05-01\n    ', ...repeat(2e5, 'x'.repeat(100))]],
  [
    'a klog summary of a million tags',
    'a.klg',
    () => ['2024-05-01\n    8:00 - 9:00 ', ...repeat(1e6, '#a ')],
  ],
]

describe('tt import', () => {
  test.each(files)('reads or refuses %s', { timeout: 120_000 }, async (_, name, chunks) => {
    const home = temporaryDirectory()
    await writeChunks(join(home, name), chunks())
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

/** Writes an archive with a manifest and these files of zeros. */
async function writeBackup(path: string, text: string, sizes: Iterable<[string, number]>, rest = 0) {
  function* parts(): Generator<Buffer> {
    const at = new Date(0)
    yield* [tarHeader('manifest.json', text.length, at), Buffer.from(text), tarPadding(text.length)]
    for (const [name, size] of sizes) {
      yield tarHeader(name, size, at)
      for (let left = size; left > 0; left -= megabyte) yield Buffer.alloc(Math.min(left, megabyte))
      yield tarPadding(size)
    }
    yield tarEnd
    for (let left = rest; left > 0; left -= megabyte) yield Buffer.alloc(megabyte)
  }
  await pipeline(Readable.from(parts()), createGzip({ level: 1 }), createWriteStream(path))
}

const states = (count: number): [string, number][] =>
  Array.from({ length: count }, (_, index) => [`profiles/p${index}/state.db`, 1])

const backups: [string, string, [string, number][], number?][] = [
  ['a database of a gigabyte', manifest(), [['workspace.db', 1024 * megabyte]]],
  ['a declared gigabyte', manifest(1024 * megabyte), [['workspace.db', 1024 * megabyte]]],
  ['less declared than contained', manifest(100), [['workspace.db', 50 * megabyte]]],
  ['a gigabyte after its end', manifest(), [], 1024 * megabyte],
  ['settings of 60 MB', manifest(), [['config.json', 60 * megabyte]]],
  ['20,000 files', manifest(), states(20_000)],
]

test.each(backups)('tt restore refuses a backup with %s', async (_, text, sizes, rest) => {
  const home = temporaryDirectory()
  await writeBackup(join(home, 'bomb.tar.gz'), text, sizes, rest)
  expect(statSync(join(home, 'bomb.tar.gz')).size).toBeLessThan(8 * megabyte)
  const measured = await measure(home, 'restore', 'bomb.tar.gz', '--yes')
  expect(measured).toMatchObject({ status: 1, stderr: expect.stringContaining('is refused: ') })
  expectWithinLimits(measured)
  expect(existsSync(join(home, 'restore.work'))).toBe(false)
  expect(readdirSync(home).filter((name) => /workspace|config.json|profiles/.test(name))).toEqual([])
})

test.each([
  ['.tt.json', () => ['{"task": ', ...repeat(32_000, '['), ...repeat(32_000, ']'), '}']],
  ['.tt.json', () => repeat(5e5, '[')],
  ['config.json', () => repeat(5e5, '[')],
  ['aliases.json', () => ['{"a": ', ...repeat(30_000, '['), ...repeat(30_000, ']'), '}']],
])('a command is not stopped by a hostile %s', async (name, chunks) => {
  const home = temporaryDirectory()
  await writeChunks(join(home, name), chunks())
  const measured = await measure(home, 'status', '--json')
  expect(measured.stderr).not.toContain('Internal error')
  expectWithinLimits(measured)
})

test('tt import reads a mapping file of 100,000 patterns', async () => {
  const home = temporaryDirectory()
  await writeChunks(join(home, 'map.csv'), [
    'client,project,task,task_link\n',
    ...repeat(1e5, (index) => `*,p${index},*,P/T\n`),
  ])
  await writeChunks(join(home, 'a.csv'), [
    'project,task,start,end\n',
    ...repeat(1000, (index) => `x${index},t,2024-05-01 09:00,2024-05-01 10:00\n`),
  ])
  const measured = await measure(home, 'import', 'a.csv', '--map', 'map.csv', '--task', 'P/T', '--dry-run')
  expect(measured.stderr).not.toContain('Internal error')
  expectWithinLimits(measured)
})

test('tt alias import refuses a file of 100 MB', async () => {
  const home = temporaryDirectory()
  await writeChunks(join(home, 'a.json'), ['{"a": "', ...repeat(1000, 'x'.repeat(1e5)), '"}'])
  const measured = await measure(home, 'alias', 'import', 'a.json')
  expect(measured).toMatchObject({ status: 2, stderr: expect.stringContaining('larger than 64 KiB') })
  expectWithinLimits(measured)
})
