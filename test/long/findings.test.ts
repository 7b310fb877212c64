import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { type FindingKind, findingKinds } from '../../src/records/report-names.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

const now = '2024-05-02T16:00:00'
const seed = chooseSeed('findings')

interface Row {
  kind: FindingKind
  from: string
  mend: string
}

const option = { gap: '--gaps', overlap: '--overlaps', long: '--long', no_notes: '--without-notes' }
const days = ['--since', '2024-05-01', '--until', '2024-05-02']
const twoDays = ['check', ...days]
const allKinds = [...twoDays, ...Object.values(option)]

function findIn(cli: TestCli, kinds: readonly FindingKind[] = findingKinds): Promise<Row[]> {
  return cli.json<Row[]>(...twoDays, ...kinds.map((kind) => option[kind]))
}

/** Parses the command line with a shell, and runs each `tt` command of it. */
async function runLine(cli: TestCli, line: string) {
  const script = `tt() { printf '%s\\0' "$@"; printf '\\1'; }; ${line}`
  const read = execFileSync('sh', ['-c', script], { encoding: 'utf8' })
  for (const words of read.split('\u0001').filter(Boolean)) {
    const outcome = await cli.run(...words.split('\0').slice(0, -1), '--yes')
    expect(outcome, line).toMatchObject({ status: 0 })
  }
}

/** Returns the suggested command with values instead of its placeholders. */
const fillPlaceholders = ({ mend, from }: Row) =>
  mend
    .replace('TASK', 'Acme/Website/Design')
    .replace('TIME', `"${new Date(Date.parse(from) + 3_600_000).toISOString()}"`)
    .replace('TEXT', '"with words"')

async function add(cli: TestCli, from: string, to: string, notes = 'noted', task = 'Acme/Website/Design') {
  await cli.json('add', task, '--from', `2024-05-${from}`, '--to', `2024-05-${to}`, '-n', notes)
}

/** Returns a time of the first day, from the minutes since its start. */
const clock = (minute: number) =>
  `01 ${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

describe('the suggested command resolves', () => {
  const addFullDays = async (cli: TestCli) => {
    await add(cli, '01 09:00', '01 17:00')
    await add(cli, '02 09:00', '02 16:00')
  }

  test.each<[string, FindingKind, (cli: TestCli) => Promise<unknown>]>([
    ['a day without entries', 'gap', (cli) => add(cli, '02 09:00', '02 16:00')],
    ['a gap that ends now', 'gap', (cli) => add(cli, '01 09:00', '01 17:00')],
    [
      'a gap of a few seconds more than a minute',
      'gap',
      async (cli) => {
        await add(cli, '01 09:01:07', '01 17:00')
        await add(cli, '02 09:00', '02 16:00')
      },
    ],
    [
      'an entry within another with special characters in its notes',
      'overlap',
      async (cli) => {
        await add(cli, '01 09:00', '01 17:00', `$HOME's "notes";\n\`second\` line \\ ü`)
        await add(cli, '01 11:00', '01 12:00', 'within', 'Internal/Support')
        await add(cli, '02 09:00', '02 16:00')
      },
    ],
    [
      'two equal entries',
      'overlap',
      async (cli) => {
        await addFullDays(cli)
        await addFullDays(cli)
      },
    ],
    [
      'a running timer around another entry',
      'overlap',
      async (cli) => {
        await add(cli, '01 09:00', '01 17:00')
        await cli.json('start', 'Acme/Website/Design', '--at', '2024-05-02 09:00', '-n', 'runs')
        await add(cli, '02 10:00', '02 11:00', 'within', 'Internal/Support')
      },
    ],
    ['an entry of 20 hours', 'long', (cli) => add(cli, '01 00:00', '01 20:00')],
    [
      'a forgotten timer',
      'long',
      (cli) => cli.json('start', 'Acme/Website/Design', '--at', '2024-05-01 09:00'),
    ],
    ['an entry with blank notes', 'no_notes', (cli) => add(cli, '01 09:00', '01 17:00', '  ')],
  ])('%s', async (_, kind, track) => {
    const cli = createTestCli(now)
    await track(cli)
    const found = await findIn(cli, [kind])
    expect(found.length).toBeGreaterThan(0)
    for (const finding of found) await runLine(cli, fillPlaceholders(finding))
    expect(await findIn(cli, [kind])).toEqual([])
    if (kind === 'overlap') expect(await findIn(cli)).toEqual([])
  })
})

test('all suggested commands together keep all tracked minutes, each in one entry', async () => {
  const random = new SeededRandom(`${seed} together`)
  for (let round = 0; round < 3; round++) {
    const cli = createTestCli(now)
    // Denser than real entries, with few enough at the same time that no finding omits any.
    for (let start = 0; start < 480; start += random.between(5, 60)) {
      await add(cli, clock(start), clock(start + random.between(1, 90)))
    }
    const { minutes: before } = await readTracked(cli)
    for (const finding of await findIn(cli, ['overlap'])) await runLine(cli, finding.mend)
    expect(await findIn(cli, ['overlap'])).toEqual([])
    const { minutes: after } = await readTracked(cli)
    expect(new Set(after)).toEqual(new Set(before))
    expect(after.length).toBe(new Set(after).size)
  }
})

/** Returns the tracked minutes, in epoch seconds, and the notes of all entries. None may get lost. */
async function readTracked(cli: TestCli) {
  const log = await cli.json<LoggedEntry[]>('log', '--since', '2024-04-30')
  const minutes: number[] = []
  for (const { time_start, time_end } of log) {
    const end = time_end === null ? Date.parse(now) : Date.parse(time_end)
    for (let at = Date.parse(time_start) / 1000; at < Math.floor(end / 1000); at += 60) minutes.push(at)
  }
  return { minutes, notes: log.map(({ notes }) => notes ?? '') }
}

interface LoggedEntry {
  time_start: string
  time_end: string | null
  notes: string | null
}

test('no suggested command removes tracked time or notes, in any order', async () => {
  const random = new SeededRandom(`${seed} lossless`)
  for (let round = 0; round < 4; round++) {
    const cli = createTestCli(now)
    const written: string[] = []
    const count = random.between(4, 9)
    for (let index = 0; index < count; index++) {
      // Few possible times, so that entries share starts and ends, contain each other, or are equal.
      const start = random.between(0, 10) * 30
      const length = random.between(1, 10 - Math.floor(start / 60)) * 30
      const notes = `note ${index}'s \\ line\nsecond <${index}>`
      const task = random.between(0, 1) === 0 ? 'Acme/Website/Design' : 'Internal/Support'
      await add(cli, clock(540 + start), clock(540 + start + length), notes, task)
      written.push(`<${index}>`)
    }
    if (random.between(0, 1) === 0) {
      await cli.json('start', 'Internal/Support', '--at', '2024-05-01 10:00', '-n', 'runs <timer>')
      written.push('<timer>')
    }
    const before = await readTracked(cli)
    const check = async (mend: string) => {
      const after = await readTracked(cli)
      const kept = new Set(after.minutes)
      expect(
        before.minutes.filter((minute) => !kept.has(minute)),
        `${seed}: ${mend}`,
      ).toEqual([])
      const lost = written.filter((mark) => !after.notes.some((notes) => notes.includes(mark)))
      expect(lost, `${seed}: ${mend}`).toEqual([])
    }
    const findings = await findIn(cli, ['overlap', 'gap'])
    const order = findings
      .map((finding) => ({ finding, rank: random.next() }))
      .sort((a, b) => a.rank - b.rank)
    for (const { finding } of order) {
      const mend = fillPlaceholders(finding)
      await runLine(cli, mend)
      await check(mend)
    }
    expect(await findIn(cli, ['overlap'])).toEqual([])
  }
})

describe('findings', () => {
  test('show the lossless command first, and as a comment what the alternative removes', async () => {
    const cli = createTestCli(now)
    await add(cli, '01 08:00', '01 18:00')
    for (const hour of [9, 10, 11, 12, 13, 14])
      await add(cli, `01 ${hour}:00`, `01 ${hour}:10`, 'short', 'Internal/Support')
    const { stdout } = await cli.runInTerminal(60, ...twoDays, '--overlaps')
    const [command = '', alternative = ''] = stdout.split('\n').filter((line) => / tt (add|edit) /.test(line))
    expect(command).toMatch(
      /^ {3}tt add 1 --yes --from .* && tt split 1 --at "2024-05-01 14:10" && tt edit 1 --to "2024-05-01 09:00"$/,
    )
    expect(alternative).toBe('   or: tt edit 1 --to "2024-05-01 09:00" # removes 8h 00m from entry 1')
    expect(stdout).not.toContain('…')
    const before = await readTracked(cli)
    await runLine(cli, command.slice(3))
    expect(new Set((await readTracked(cli)).minutes)).toEqual(new Set(before.minutes))
  })

  test('have all columns in CSV, Markdown and JSON, and the selected ones in a terminal', async () => {
    const cli = createTestCli(now)
    await add(cli, '01 09:00', '01 20:00', ' ')
    await add(cli, '01 16:00', '01 17:30')
    await add(cli, '02 09:00', '02 14:30')
    const shown = async (format: string) => (await cli.run(...allKinds, format)).stdout.replaceAll('\r', '')
    expect(await shown('--csv')).toMatchInlineSnapshot(`
      "n,kind,from,to,seconds,entries,what,mend,alternative
      1,long,2024-05-01T09:00:00+02:00,2024-05-01T20:00:00+02:00,39600,[1],Acme / Website / Design took more than 10h 00m,tt edit 1 --to TIME,
      2,no_notes,2024-05-01T09:00:00+02:00,2024-05-01T20:00:00+02:00,39600,[1],Acme / Website / Design has no notes,tt edit 1 --notes TEXT,
      3,overlap,2024-05-01T16:00:00+02:00,2024-05-01T17:30:00+02:00,5400,"[1,2]",Acme / Website / Design twice,tt edit 1 --notes noted && tt rm 2 --yes,
      4,gap,2024-05-02T14:30:00+02:00,2024-05-02T16:00:00+02:00,5400,[],Nothing was tracked,"tt add TASK --from ""2024-05-02 14:30"" --to ""2024-05-02 16:00""",
      "
    `)
    expect(await shown('--markdown')).toMatchInlineSnapshot(`
      "| N | Kind | From | To | Duration | Entries | Details | Fix | Or |
      | --: | --- | --- | --- | --: | --- | --- | --- | --- |
      | 1 | long | 2024-05-01 09:00 | 20:00 | 11h 00m | 1 | Acme / Website / Design took more than 10h 00m | tt edit 1 --to TIME |  |
      | 2 | no notes | 2024-05-01 09:00 | 20:00 | 11h 00m | 1 | Acme / Website / Design has no notes | tt edit 1 --notes TEXT |  |
      | 3 | overlap | 2024-05-01 16:00 | 17:30 | 1h 30m | 1, 2 | Acme / Website / Design twice | tt edit 1 --notes noted \\&\\& tt rm 2 --yes |  |
      | 4 | gap | 2024-05-02 14:30 | 16:00 | 1h 30m |  | Nothing was tracked | tt add TASK --from "2024-05-02 14:30" --to "2024-05-02 16:00" |  |
      "
    `)
    expect((await findIn(cli))[1]).toMatchInlineSnapshot(`
      {
        "entries": [
          1,
        ],
        "from": "2024-05-01T09:00:00+02:00",
        "kind": "no_notes",
        "mend": "tt edit 1 --notes TEXT",
        "n": 2,
        "seconds": 39600,
        "to": "2024-05-01T20:00:00+02:00",
        "what": "Acme / Website / Design has no notes",
      }
    `)
    const { stdout } = await cli.runInTerminal(80, ...twoDays, '--gaps', '--fields', 'kind,mend')
    expect(stdout).toContain('gap   tt add TASK --from "2024-05-02 14:30" --to "2024-05-02 16:00"')
  })
})

test('a timer that runs for weeks is found in a period long after its start', async () => {
  const cli = createTestCli(now)
  await cli.json('start', 'Acme/Website/Design', '--at', '2024-03-30 09:00', '-n', 'forgotten')
  expect(await findIn(cli)).toMatchObject([{ kind: 'long', entries: [1] }])
  expect(await cli.json('report', ...days)).toMatchObject({
    seconds: (24 + 16) * 3600,
    count: 1,
    running: true,
  })
  expect(await findIn(cli, ['long'])).toHaveLength(1)
  expect(await cli.json('report', ...days, '--project', 'other')).toMatchObject({ count: 0 })
  expect(await cli.json('report', ...days, '--where', 'notes_cont=other')).toMatchObject({ count: 0 })
  expect(await cli.json('report', ...days, '--where', 'notes_cont=forgot')).toMatchObject({ count: 1 })
})
