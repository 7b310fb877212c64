import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { type FindingKind, findingKinds } from '../../src/report/health/finding.js'
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
const twoDays = ['report', '--since', '2024-05-01', '--until', '2024-05-02']
const everything = [...twoDays, ...Object.values(option)]

function look(cli: TestCli, kinds: readonly FindingKind[] = findingKinds): Promise<Row[]> {
  return cli.json<Row[]>(...twoDays, ...kinds.map((kind) => option[kind]))
}

/** Has a shell read the command line, and runs each `tt` of it at the desk. */
async function type(cli: TestCli, line: string) {
  const script = `tt() { printf '%s\\0' "$@"; printf '\\1'; }; ${line}`
  const read = execFileSync('sh', ['-c', script], { encoding: 'utf8' })
  for (const words of read.split('\u0001').filter(Boolean)) {
    const outcome = await cli.run(...words.split('\0').slice(0, -1), '--yes')
    expect(outcome, line).toMatchObject({ status: 0 })
  }
}

/** The command with what stands in it for the person to fill. */
const filled = ({ mend, from }: Row) =>
  mend
    .replace('TASK', 'Acme/Website/Design')
    .replace('TIME', `"${new Date(Date.parse(from) + 3_600_000).toISOString()}"`)
    .replace('TEXT', '"with words"')

async function add(cli: TestCli, from: string, to: string, notes = 'noted', task = 'Acme/Website/Design') {
  await cli.json('add', task, '--from', `2024-05-${from}`, '--to', `2024-05-${to}`, '-n', notes)
}

describe('the command of a finding mends it', () => {
  const whole = async (cli: TestCli) => {
    await add(cli, '01 09:00', '01 17:00')
    await add(cli, '02 09:00', '02 16:00')
  }

  test.each<[string, FindingKind, (cli: TestCli) => Promise<unknown>]>([
    ['a day without entries', 'gap', (cli) => add(cli, '02 09:00', '02 16:00')],
    ['the time up to now', 'gap', (cli) => add(cli, '01 09:00', '01 17:00')],
    [
      'a few seconds more than a minute',
      'gap',
      async (cli) => {
        await add(cli, '01 09:01:07', '01 17:00')
        await add(cli, '02 09:00', '02 16:00')
      },
    ],
    [
      'the one begins before the other ends',
      'overlap',
      async (cli) => {
        await whole(cli)
        await add(cli, '01 08:00', '01 10:20:30', 'before', 'Internal/Support')
      },
    ],
    [
      'one within the other, whose notes are hard to type',
      'overlap',
      async (cli) => {
        await add(cli, '01 09:00', '01 17:00', `$HOME's "notes";\n\`second\` line \\ ü`)
        await add(cli, '01 11:00', '01 12:00', 'within', 'Internal/Support')
        await add(cli, '02 09:00', '02 16:00')
      },
    ],
    [
      'the same twice',
      'overlap',
      async (cli) => {
        await whole(cli)
        await whole(cli)
      },
    ],
    [
      'a timer that runs around another entry',
      'overlap',
      async (cli) => {
        await add(cli, '01 09:00', '01 17:00')
        await cli.json('start', 'Acme/Website/Design', '--at', '2024-05-02 09:00', '-n', 'runs')
        await add(cli, '02 10:00', '02 11:00', 'within', 'Internal/Support')
      },
    ],
    ['an entry of 20 hours', 'long', (cli) => add(cli, '01 00:00', '01 20:00')],
    [
      'a timer that was forgotten',
      'long',
      (cli) => cli.json('start', 'Acme/Website/Design', '--at', '2024-05-01 09:00'),
    ],
    ['an entry with blank notes', 'no_notes', (cli) => add(cli, '01 09:00', '01 17:00', '  ')],
  ])('%s', async (_, kind, track) => {
    const cli = createTestCli(now)
    await track(cli)
    const found = await look(cli, [kind])
    expect(found.length).toBeGreaterThan(0)
    for (const finding of found) await type(cli, filled(finding))
    expect(await look(cli, [kind])).toEqual([])
    if (kind === 'overlap') expect(await look(cli)).toEqual([])
  })
})

test('the commands together leave every minute to one entry, and lose none', async () => {
  const random = new SeededRandom(`${seed} together`)
  for (let round = 0; round < 3; round++) {
    const cli = createTestCli(now)
    // Closer to each other than entries ever are, but few enough at once that no rest is left out.
    for (let start = 0; start < 480; start += random.between(5, 60)) {
      const clock = (minute: number) =>
        `01 ${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
      await add(cli, clock(start), clock(start + random.between(1, 90)))
    }
    const before = await minutesOf(cli)
    for (const finding of await look(cli, ['overlap'])) await type(cli, finding.mend)
    expect(await look(cli, ['overlap'])).toEqual([])
    const after = await minutesOf(cli)
    expect(new Set(after)).toEqual(new Set(before))
    expect(after.length).toBe(new Set(after).size)
  }
})

/** What must not get less: the seconds in which anything was tracked, and the notes of all entries. */
async function treasure(cli: TestCli) {
  const log = await cli.json<Logged[]>('log', '--since', '2024-04-30')
  const seconds = new Set<number>()
  for (const { time_start, time_end } of log) {
    const end = time_end === null ? Date.parse(now) : Date.parse(time_end)
    for (let at = Date.parse(time_start) / 1000; at < Math.floor(end / 1000); at += 60) seconds.add(at)
  }
  return { seconds, notes: log.map(({ notes }) => notes ?? '') }
}

interface Logged {
  time_start: string
  time_end: string | null
  notes: string | null
}

test('no suggested command removes tracked time or notes, in whatever order they run', async () => {
  const random = new SeededRandom(`${seed} lossless`)
  for (let round = 0; round < 4; round++) {
    const cli = createTestCli(now)
    const written: string[] = []
    const count = random.between(4, 9)
    for (let index = 0; index < count; index++) {
      // Few moments to choose from: entries begin and end together, lie within each other, or are the same.
      const start = random.between(0, 10) * 30
      const length = random.between(1, 10 - Math.floor(start / 60)) * 30
      const clock = (minute: number) =>
        `01 ${String(9 + Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
      const notes = `note ${index}'s \\ line\nsecond <${index}>`
      const task = random.between(0, 1) === 0 ? 'Acme/Website/Design' : 'Internal/Support'
      await add(cli, clock(start), clock(start + length), notes, task)
      written.push(`<${index}>`)
    }
    if (random.between(0, 1) === 0) {
      await cli.json('start', 'Internal/Support', '--at', '2024-05-01 10:00', '-n', 'runs <timer>')
      written.push('<timer>')
    }
    const before = await treasure(cli)
    const check = async (mend: string) => {
      const after = await treasure(cli)
      expect(
        [...before.seconds].filter((second) => !after.seconds.has(second)),
        `${seed}: ${mend}`,
      ).toEqual([])
      const lost = written.filter((mark) => !after.notes.some((notes) => notes.includes(mark)))
      expect(lost, `${seed}: ${mend}`).toEqual([])
    }
    const findings = await look(cli, ['overlap', 'gap'])
    const order = findings
      .map((finding) => ({ finding, rank: random.next() }))
      .sort((a, b) => a.rank - b.rank)
    for (const { finding } of order) {
      const mend = filled(finding)
      await type(cli, mend)
      await check(mend)
    }
    expect(await look(cli, ['overlap'])).toEqual([])
  }
}, 60_000)

async function minutesOf(cli: TestCli): Promise<number[]> {
  const log = await cli.json<{ time_start: string; time_end: string }[]>('log', '--since', '2024-04-30')
  return log.flatMap(({ time_start, time_end }) => {
    const [from, to] = [Date.parse(time_start) / 60_000, Date.parse(time_end) / 60_000]
    return Array.from({ length: to - from }, (_, index) => from + index)
  })
}

describe('findings are shown', () => {
  async function tracked(): Promise<TestCli> {
    const cli = createTestCli(now)
    await add(cli, '01 09:00', '01 20:00', ' ')
    await add(cli, '01 16:00', '01 17:30')
    await add(cli, '02 09:00', '02 14:30')
    return cli
  }

  test('by day on a terminal, with the commands below', async () => {
    const cli = await tracked()
    expect((await cli.runInTerminal(80, ...everything)).stdout).toMatchInlineSnapshot(`
      "N  Kind      From   To     Duration  Entries  What
      Wed 2024-05-01
      1  long      09:00  20:00   11h 00m  1        Acme / Website / Design took more than 10h 00m
      2  no notes  09:00  20:00   11h 00m  1        Acme / Website / Design has no notes
      3  overlap   16:00  17:30    1h 30m  1, 2     Acme / Website / Design and Acme / Website / Design at the same time; the command splits it around the entries inside it

      Thu 2024-05-02
      4  gap       14:30  16:00    1h 30m           Nothing was tracked

      1 gap, 1h 30m; 1 overlap, 1h 30m; 1 long entry, 11h 00m; 1 entry without notes, 11h 00m

      To fix them:
      1  tt edit 1 --to TIME
      2  tt edit 1 --notes TEXT
      3  tt split 1 --at "2024-05-01 17:30" && tt edit 1 --to "2024-05-01 16:00"
      4  tt add TASK --from "2024-05-02 14:30" --to "2024-05-02 16:00"
      "
    `)
  })

  test('with the lossless command first, and what the other one removes as a comment', async () => {
    const cli = createTestCli(now)
    await add(cli, '01 08:00', '01 18:00')
    for (const hour of [9, 10, 11, 12, 13, 14])
      await add(cli, `01 ${hour}:00`, `01 ${hour}:10`, 'short', 'Internal/Support')
    const { stdout } = await cli.runInTerminal(60, ...twoDays, '--overlaps')
    const [, command = '', alternative = ''] = stdout.split('To fix them:')[1]?.split('\n') ?? []
    expect(command).toMatch(
      /^1 {2}tt add 1 --yes --from .* && tt split 1 --at "2024-05-01 14:10" && tt edit 1 --to "2024-05-01 09:00"$/,
    )
    expect(alternative).toBe('   or: tt edit 1 --to "2024-05-01 09:00" # removes 8h 00m from entry 1')
    expect(stdout).not.toContain('…')
    const before = await treasure(cli)
    await type(cli, command.slice(3))
    expect((await treasure(cli)).seconds).toEqual(before.seconds)
  })

  test('with everything elsewhere', async () => {
    const cli = await tracked()
    const shown = async (format: string) => (await cli.run(...everything, format)).stdout.replaceAll('\r', '')
    expect(await shown('--csv')).toMatchInlineSnapshot(`
      "n,kind,from,to,seconds,entries,what,mend,alternative
      1,long,2024-05-01T09:00:00+02:00,2024-05-01T20:00:00+02:00,39600,[1],Acme / Website / Design took more than 10h 00m,tt edit 1 --to TIME,
      2,no_notes,2024-05-01T09:00:00+02:00,2024-05-01T20:00:00+02:00,39600,[1],Acme / Website / Design has no notes,tt edit 1 --notes TEXT,
      3,overlap,2024-05-01T16:00:00+02:00,2024-05-01T17:30:00+02:00,5400,"[1,2]",Acme / Website / Design and Acme / Website / Design at the same time; the command splits it around the entries inside it,"tt split 1 --at ""2024-05-01 17:30"" && tt edit 1 --to ""2024-05-01 16:00""",
      4,gap,2024-05-02T14:30:00+02:00,2024-05-02T16:00:00+02:00,5400,[],Nothing was tracked,"tt add TASK --from ""2024-05-02 14:30"" --to ""2024-05-02 16:00""",
      "
    `)
    expect(await shown('--markdown')).toMatchInlineSnapshot(`
      "| N | Kind | From | To | Duration | Entries | What | Fix | Or |
      | --: | --- | --- | --- | --: | --- | --- | --- | --- |
      | 1 | long | 2024-05-01 09:00 | 20:00 | 11h 00m | 1 | Acme / Website / Design took more than 10h 00m | tt edit 1 --to TIME |  |
      | 2 | no notes | 2024-05-01 09:00 | 20:00 | 11h 00m | 1 | Acme / Website / Design has no notes | tt edit 1 --notes TEXT |  |
      | 3 | overlap | 2024-05-01 16:00 | 17:30 | 1h 30m | 1, 2 | Acme / Website / Design and Acme / Website / Design at the same time; the command splits it around the entries inside it | tt split 1 --at "2024-05-01 17:30" && tt edit 1 --to "2024-05-01 16:00" |  |
      | 4 | gap | 2024-05-02 14:30 | 16:00 | 1h 30m |  | Nothing was tracked | tt add TASK --from "2024-05-02 14:30" --to "2024-05-02 16:00" |  |
      "
    `)
    expect((await look(cli))[1]).toMatchInlineSnapshot(`
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
  })

  test('with a field that was asked for, on a terminal too', async () => {
    const cli = await tracked()
    const { stdout } = await cli.runInTerminal(80, ...twoDays, '--gaps', '--fields', 'kind,mend')
    expect(stdout).toContain('gap   tt add TASK --from "2024-05-02 14:30" --to "2024-05-02 16:00"')
  })
})

test('a timer that has run for weeks counts, however long before the period it began', async () => {
  const cli = createTestCli(now)
  await cli.json('start', 'Acme/Website/Design', '--at', '2024-03-30 09:00', '-n', 'forgotten')
  expect(await look(cli)).toMatchObject([{ kind: 'long', entries: [1] }])
  expect(await cli.json(...twoDays)).toMatchObject({ seconds: (24 + 16) * 3600, count: 1, running: true })
  expect(await look(cli, ['long'])).toHaveLength(1)
  expect(await cli.json(...twoDays, '--project', 'other')).toMatchObject({ count: 0 })
  expect(await cli.json(...twoDays, '--where', 'notes_cont=other')).toMatchObject({ count: 0 })
  expect(await cli.json(...twoDays, '--where', 'notes_cont=forgot')).toMatchObject({ count: 1 })
})

test.each([['--project', 'Website'], ['--where', 'notes_cont=x'], ['--billable']])(
  'gaps are not looked for among the entries of %s alone: the others fill them',
  async (...filter) => {
    const cli = createTestCli(now)
    const refused = await cli.run(...twoDays, '--gaps', '--long', ...filter)
    expect(refused).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('--gaps') })
    expect(refused.stderr).toContain(filter[0])
    expect(await cli.json(...twoDays, '--overlaps', ...filter)).toEqual([])
  },
)
