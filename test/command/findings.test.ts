import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { type FindingKind, findingKinds } from '../../src/report/health/finding.js'
import { Dice, theSeed } from '../support/seeded-random.js'
import { type Desk, newDesk } from '../support/test-cli.js'

const now = '2024-05-02T16:00:00'
const seed = theSeed('findings')

interface Row {
  kind: FindingKind
  from: string
  mend: string
}

const option = { gap: '--gaps', overlap: '--overlaps', long: '--long', no_notes: '--without-notes' }
const twoDays = ['report', '--since', '2024-05-01', '--until', '2024-05-02']
const everything = [...twoDays, ...Object.values(option)]

function look(desk: Desk, kinds: readonly FindingKind[] = findingKinds): Promise<Row[]> {
  return desk.json<Row[]>(...twoDays, ...kinds.map((kind) => option[kind]))
}

/** Has a shell read the command line, and runs each `tt` of it at the desk. */
async function type(desk: Desk, line: string) {
  const script = `tt() { printf '%s\\0' "$@"; printf '\\1'; }; ${line}`
  const read = execFileSync('sh', ['-c', script], { encoding: 'utf8' })
  for (const words of read.split('\u0001').filter(Boolean)) {
    const outcome = await desk.tt(...words.split('\0').slice(0, -1), '--yes')
    expect(outcome, line).toMatchObject({ status: 0 })
  }
}

/** The command with what stands in it for the person to fill. */
const filled = ({ mend, from }: Row) =>
  mend
    .replace('TASK', 'Acme/Website/Design')
    .replace('TIME', `"${new Date(Date.parse(from) + 3_600_000).toISOString()}"`)
    .replace('TEXT', '"with words"')

async function add(desk: Desk, from: string, to: string, notes = 'noted', task = 'Acme/Website/Design') {
  await desk.json('add', task, '--from', `2024-05-${from}`, '--to', `2024-05-${to}`, '-n', notes)
}

describe('the command of a finding mends it', () => {
  const whole = async (desk: Desk) => {
    await add(desk, '01 09:00', '01 17:00')
    await add(desk, '02 09:00', '02 16:00')
  }

  test.each<[string, FindingKind, (desk: Desk) => Promise<unknown>]>([
    ['a day without entries', 'gap', (desk) => add(desk, '02 09:00', '02 16:00')],
    ['the time up to now', 'gap', (desk) => add(desk, '01 09:00', '01 17:00')],
    [
      'a few seconds more than a minute',
      'gap',
      async (desk) => {
        await add(desk, '01 09:01:07', '01 17:00')
        await add(desk, '02 09:00', '02 16:00')
      },
    ],
    [
      'the one begins before the other ends',
      'overlap',
      async (desk) => {
        await whole(desk)
        await add(desk, '01 08:00', '01 10:20:30', 'before', 'Internal/Support')
      },
    ],
    [
      'one within the other, whose notes are hard to type',
      'overlap',
      async (desk) => {
        await add(desk, '01 09:00', '01 17:00', `$HOME's "notes";\n\`second\` line \\ ü`)
        await add(desk, '01 11:00', '01 12:00', 'within', 'Internal/Support')
        await add(desk, '02 09:00', '02 16:00')
      },
    ],
    [
      'the same twice',
      'overlap',
      async (desk) => {
        await whole(desk)
        await whole(desk)
      },
    ],
    [
      'a timer that runs around another entry',
      'overlap',
      async (desk) => {
        await add(desk, '01 09:00', '01 17:00')
        await desk.json('start', 'Acme/Website/Design', '--at', '2024-05-02 09:00', '-n', 'runs')
        await add(desk, '02 10:00', '02 11:00', 'within', 'Internal/Support')
      },
    ],
    ['an entry of 20 hours', 'long', (desk) => add(desk, '01 00:00', '01 20:00')],
    [
      'a timer that was forgotten',
      'long',
      (desk) => desk.json('start', 'Acme/Website/Design', '--at', '2024-05-01 09:00'),
    ],
    ['an entry with blank notes', 'no_notes', (desk) => add(desk, '01 09:00', '01 17:00', '  ')],
  ])('%s', async (_, kind, track) => {
    const desk = newDesk(now)
    await track(desk)
    const found = await look(desk, [kind])
    expect(found.length).toBeGreaterThan(0)
    for (const finding of found) await type(desk, filled(finding))
    expect(await look(desk, [kind])).toEqual([])
    if (kind === 'overlap') expect(await look(desk)).toEqual([])
  })
})

test('the commands together leave every minute to one entry, and lose none', async () => {
  const dice = new Dice(`${seed} together`)
  for (let round = 0; round < 3; round++) {
    const desk = newDesk(now)
    // Closer to each other than entries ever are, but few enough at once that no rest is left out.
    for (let start = 0; start < 480; start += dice.between(5, 60)) {
      const clock = (minute: number) =>
        `01 ${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
      await add(desk, clock(start), clock(start + dice.between(1, 90)))
    }
    const before = await minutesOf(desk)
    for (const finding of await look(desk, ['overlap'])) await type(desk, finding.mend)
    expect(await look(desk, ['overlap'])).toEqual([])
    const after = await minutesOf(desk)
    expect(new Set(after)).toEqual(new Set(before))
    expect(after.length).toBe(new Set(after).size)
  }
})

/** What must not get less: the seconds in which anything was tracked, and the notes of all entries. */
async function treasure(desk: Desk) {
  const log = await desk.json<Logged[]>('log', '--since', '2024-04-30')
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
  const dice = new Dice(`${seed} lossless`)
  for (let round = 0; round < 4; round++) {
    const desk = newDesk(now)
    const written: string[] = []
    const count = dice.between(4, 9)
    for (let index = 0; index < count; index++) {
      // Few moments to choose from: entries begin and end together, lie within each other, or are the same.
      const start = dice.between(0, 10) * 30
      const length = dice.between(1, 10 - Math.floor(start / 60)) * 30
      const clock = (minute: number) =>
        `01 ${String(9 + Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
      const notes = `note ${index}'s \\ line\nsecond <${index}>`
      const task = dice.between(0, 1) === 0 ? 'Acme/Website/Design' : 'Internal/Support'
      await add(desk, clock(start), clock(start + length), notes, task)
      written.push(`<${index}>`)
    }
    if (dice.between(0, 1) === 0) {
      await desk.json('start', 'Internal/Support', '--at', '2024-05-01 10:00', '-n', 'runs <timer>')
      written.push('<timer>')
    }
    const before = await treasure(desk)
    const check = async (mend: string) => {
      const after = await treasure(desk)
      expect(
        [...before.seconds].filter((second) => !after.seconds.has(second)),
        `${seed}: ${mend}`,
      ).toEqual([])
      const lost = written.filter((mark) => !after.notes.some((notes) => notes.includes(mark)))
      expect(lost, `${seed}: ${mend}`).toEqual([])
    }
    const findings = await look(desk, ['overlap', 'gap'])
    const order = findings.map((finding) => ({ finding, rank: dice.throw() })).sort((a, b) => a.rank - b.rank)
    for (const { finding } of order) {
      const mend = filled(finding)
      await type(desk, mend)
      await check(mend)
    }
    expect(await look(desk, ['overlap'])).toEqual([])
  }
}, 60_000)

async function minutesOf(desk: Desk): Promise<number[]> {
  const log = await desk.json<{ time_start: string; time_end: string }[]>('log', '--since', '2024-04-30')
  return log.flatMap(({ time_start, time_end }) => {
    const [from, to] = [Date.parse(time_start) / 60_000, Date.parse(time_end) / 60_000]
    return Array.from({ length: to - from }, (_, index) => from + index)
  })
}

describe('findings are shown', () => {
  async function tracked(): Promise<Desk> {
    const desk = newDesk(now)
    await add(desk, '01 09:00', '01 20:00', ' ')
    await add(desk, '01 16:00', '01 17:30')
    await add(desk, '02 09:00', '02 14:30')
    return desk
  }

  test('by day on a terminal, with the commands below', async () => {
    const desk = await tracked()
    expect((await desk.terminal(80, ...everything)).stdout).toMatchInlineSnapshot(`
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
    const desk = newDesk(now)
    await add(desk, '01 08:00', '01 18:00')
    for (const hour of [9, 10, 11, 12, 13, 14])
      await add(desk, `01 ${hour}:00`, `01 ${hour}:10`, 'short', 'Internal/Support')
    const { stdout } = await desk.terminal(60, ...twoDays, '--overlaps')
    const [, command = '', alternative = ''] = stdout.split('To fix them:')[1]?.split('\n') ?? []
    expect(command).toMatch(
      /^1 {2}tt add 1 --yes --from .* && tt split 1 --at "2024-05-01 14:10" && tt edit 1 --to "2024-05-01 09:00"$/,
    )
    expect(alternative).toBe('   or: tt edit 1 --to "2024-05-01 09:00" # removes 8h 00m from entry 1')
    expect(stdout).not.toContain('…')
    const before = await treasure(desk)
    await type(desk, command.slice(3))
    expect((await treasure(desk)).seconds).toEqual(before.seconds)
  })

  test('with everything elsewhere', async () => {
    const desk = await tracked()
    const shown = async (format: string) => (await desk.tt(...everything, format)).stdout.replaceAll('\r', '')
    expect(await shown('--csv')).toMatchInlineSnapshot(`
      "n,kind,from,to,seconds,entries,what,mend,alternative
      1,long,2024-05-01T09:00:00+02:00,2024-05-01T20:00:00+02:00,39600,[1],Acme / Website / Design took more than 10h 00m,tt edit 1 --to TIME,
      2,no_notes,2024-05-01T09:00:00+02:00,2024-05-01T20:00:00+02:00,39600,[1],Acme / Website / Design has no notes,tt edit 1 --notes TEXT,
      3,overlap,2024-05-01T16:00:00+02:00,2024-05-01T17:30:00+02:00,5400,"[1,2]",Acme / Website / Design and Acme / Website / Design at the same time; the command splits it around the entries inside it,"tt split 1 --at ""2024-05-01 17:30"" && tt edit 1 --to ""2024-05-01 16:00""",
      4,gap,2024-05-02T14:30:00+02:00,2024-05-02T16:00:00+02:00,5400,[],Nothing was tracked,"tt add TASK --from ""2024-05-02 14:30"" --to ""2024-05-02 16:00""",
      "
    `)
    expect(await shown('--markdown')).toMatchInlineSnapshot(`
      "| N | Kind | From | To | Duration | Entries | What | Mend | Or |
      | --: | --- | --- | --- | --: | --- | --- | --- | --- |
      | 1 | long | 2024-05-01 09:00 | 20:00 | 11h 00m | 1 | Acme / Website / Design took more than 10h 00m | tt edit 1 --to TIME |  |
      | 2 | no notes | 2024-05-01 09:00 | 20:00 | 11h 00m | 1 | Acme / Website / Design has no notes | tt edit 1 --notes TEXT |  |
      | 3 | overlap | 2024-05-01 16:00 | 17:30 | 1h 30m | 1, 2 | Acme / Website / Design and Acme / Website / Design at the same time; the command splits it around the entries inside it | tt split 1 --at "2024-05-01 17:30" && tt edit 1 --to "2024-05-01 16:00" |  |
      | 4 | gap | 2024-05-02 14:30 | 16:00 | 1h 30m |  | Nothing was tracked | tt add TASK --from "2024-05-02 14:30" --to "2024-05-02 16:00" |  |
      "
    `)
    expect((await look(desk))[1]).toMatchInlineSnapshot(`
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
    const desk = await tracked()
    const { stdout } = await desk.terminal(80, ...twoDays, '--gaps', '--fields', 'kind,mend')
    expect(stdout).toContain('gap   tt add TASK --from "2024-05-02 14:30" --to "2024-05-02 16:00"')
  })
})

test('a timer that has run for weeks counts, however long before the period it began', async () => {
  const desk = newDesk(now)
  await desk.json('start', 'Acme/Website/Design', '--at', '2024-03-30 09:00', '-n', 'forgotten')
  expect(await look(desk)).toMatchObject([{ kind: 'long', entries: [1] }])
  expect(await desk.json(...twoDays)).toMatchObject({ seconds: (24 + 16) * 3600, count: 1, running: true })
  expect(await look(desk, ['long'])).toHaveLength(1)
  expect(await desk.json(...twoDays, '--project', 'other')).toMatchObject({ count: 0 })
  expect(await desk.json(...twoDays, '--where', 'notes_cont=other')).toMatchObject({ count: 0 })
  expect(await desk.json(...twoDays, '--where', 'notes_cont=forgot')).toMatchObject({ count: 1 })
})

test.each([['--project', 'Website'], ['--where', 'notes_cont=x'], ['--billable']])(
  'gaps are not looked for among the entries of %s alone: the others fill them',
  async (...filter) => {
    const desk = newDesk(now)
    const refused = await desk.tt(...twoDays, '--gaps', '--long', ...filter)
    expect(refused).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('--gaps') })
    expect(refused.stderr).toContain(filter[0])
    expect(await desk.json(...twoDays, '--overlaps', ...filter)).toEqual([])
  },
)
