import { describe, expect, test } from 'vitest'
import { dropRequest, dropResponse, noFault, respondToAll, respondToChanges } from '../support/proxy.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { type Row, type ServiceSetup, setUpService } from './service-fixtures.js'

const now = '2024-05-08T12:00:00Z' // 14:00 on the clock

/** A local workspace with two tasks. */
async function workspace(): Promise<TestCli> {
  const cli = createTestCli(now)
  await cli.json('admin', 'project', 'add', 'Website')
  for (const task of ['Design', 'Review'])
    await cli.json('admin', 'task', 'add', task, '--project', 'Website')
  return cli
}

async function add(
  cli: TestCli,
  from: string,
  to: string,
  notes = '',
  task = 'Website/Design',
): Promise<string> {
  const noted = notes ? ['-n', notes] : []
  const { id } = await cli.json('add', task, '--from', from, '--to', to, ...noted)
  return String(id)
}

const clock = (time: unknown) =>
  typeof time === 'string' ? new Date(time).toTimeString().slice(0, 5) : 'runs'
/** "09:00–10:00 notes", in order. */
const times = (rows: readonly Row[]) =>
  rows
    .map(({ time_start, time_end, notes }) => `${clock(time_start)}–${clock(time_end)} ${notes ?? ''}`.trim())
    .sort()
const log = async (cli: TestCli) => times(await cli.json<Row[]>('log'))

describe('tt split', () => {
  test('cuts at each time, in whatever order; the first piece keeps the id and the external id', async () => {
    const cli = await workspace()
    await cli.json('add', 'design', '--from', '9:00', '--to', '12:00', '-n', 'x', '--external-id', 'T-1')
    const split = await cli.run('split', '@1', '--at', '11:00', '--at', '10:00', '--at', '10:00')
    expect(split.stderr).toMatchInlineSnapshot(`
      "Split Website / Design into 3:
        entry 1: 1h 00m (09:00–10:00)
        entry 2: 1h 00m (10:00–11:00)
        entry 3: 1h 00m (11:00–12:00)
      "
    `)
    const rows = await cli.json<Row[]>('log')
    expect(times(rows)).toEqual(['09:00–10:00 x', '10:00–11:00 x', '11:00–12:00 x'])
    expect(rows.map(({ id, external_id, task }) => ({ id, external_id, task }))).toEqual([
      { id: 1, external_id: 'T-1', task: 'Design' },
      { id: 2, external_id: null, task: 'Design' },
      { id: 3, external_id: null, task: 'Design' },
    ])
  })

  test('answers the list of pieces', async () => {
    const cli = await workspace()
    const id = await add(cli, '9:00', '12:00')
    const pieces = await cli.json<Row[]>('split', id, '--at', '10:00')
    expect(times(pieces)).toEqual(['09:00–10:00', '10:00–12:00'])
    expect(pieces.map((piece) => String(piece.id))).toEqual([id, '2'])
  })

  test('takes a time after midnight where the entry crosses it', async () => {
    const cli = await workspace()
    await add(cli, '2024-05-06 22:00', '2024-05-07 03:00')
    const pieces = await cli.json<Row[]>('split', '@1', '--at', '23:30', '--at', '1:00')
    expect(pieces.map(({ time_start }) => time_start)).toEqual([
      '2024-05-06T22:00:00+02:00',
      '2024-05-06T23:30:00+02:00',
      '2024-05-07T01:00:00+02:00',
    ])
  })

  test('has what runs go on as its last piece', async () => {
    const cli = await workspace()
    await cli.json('start', 'design', '--at', '12:00', '-n', 'x')
    await cli.json('split', '@', '--at', '13:00', '--at', '-15m')
    expect(await log(cli)).toEqual(['12:00–13:00 x', '13:00–13:45 x', '13:45–runs x'])
    expect(await cli.json('status', '--cached')).toMatchObject({ id: 3 })
  })

  test.each([
    [[], 2, '--at is missing.'],
    [['--at', '8:00'], 2, '08:00 is not within entry 1 (09:00–12:00).'],
    [['--at', '9:00'], 2, 'is not within'],
    [['--at', '12:00'], 2, 'is not within'],
    [['--at', '10:00', '--at', '2024-05-07 10:00'], 2, '2024-05-07 10:00 is not within'],
    [['--at', 'soon'], 2, '"soon"'],
  ])('refuses %j and changes nothing', async (options, status, words) => {
    const cli = await workspace()
    await add(cli, '9:00', '12:00')
    expect(await cli.run('split', '1', ...options)).toMatchObject({
      status,
      stderr: expect.stringContaining(words),
    })
    expect(await log(cli)).toEqual(['09:00–12:00'])
    expect(await cli.run('split', '99', '--at', '10:00')).toMatchObject({ status: 3 })
  })
})

describe('tt join', () => {
  test('makes one of several, in whatever order they are named', async () => {
    const cli = await workspace()
    await add(cli, '9:00', '10:00', 'a')
    await add(cli, '10:00', '11:00', 'b')
    await add(cli, '11:00', '12:00', 'a')
    const joined = await cli.run('join', '3', '1', '@2', '1')
    expect(joined).toMatchObject({
      status: 0,
      stderr: 'Joined 3 entries into entry 1: Website / Design, 3h 00m (09:00–12:00).\n',
    })
    expect(await log(cli)).toEqual(['09:00–12:00 a; b'])
    expect(await cli.json('undo', '--list')).toMatchObject([
      { what: 'Joined 3 entries of Website / Design' },
      {},
      {},
      {},
    ])
  })

  test('asks before it counts what nobody has tracked, or counts once what was tracked twice', async () => {
    const cli = await workspace()
    await add(cli, '9:00', '10:00')
    await add(cli, '10:30', '12:00')
    await add(cli, '10:10', '10:20', '', 'Website/Review')
    await add(cli, '11:45', '13:00')
    const line = ['join', '1', '2', '4', '-n', 'all of it']
    const asked = await cli.run(...line)
    expect(asked.status).toBe(2)
    expect(asked.stderr).toMatchInlineSnapshot(`
      "error: Nothing was tracked from 10:00 to 10:30 (30m): the merged entry includes it.
      15m from 11:45 on are tracked twice: they count once.
      It overlaps entry 3, Website / Review, 10m (10:10–10:20).
      Needs confirmation: Join 3 entries of Website / Design. Cannot prompt: not running in a terminal.
      Add --yes to confirm.
      "
    `)
    expect(await log(cli)).toHaveLength(4)
    const joined = await cli.run(...line, '--yes')
    expect(joined.stderr).toContain('Nothing was tracked from 10:00 to 10:30')
    expect(await log(cli)).toEqual(['09:00–13:00 all of it', '10:10–10:20'])
  })

  test('takes one task alone, or the one that --task says', async () => {
    const cli = await workspace()
    await add(cli, '9:00', '10:00')
    await add(cli, '10:00', '11:00', '', 'Website/Review')
    const refused = await cli.run('join', '1', '2')
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('--task') })
    expect(await cli.json('join', '1', '2', '--task', 'review')).toMatchObject({ id: 1, task: 'Review' })
    expect(await cli.json('log')).toHaveLength(1)
  })

  test('has the one that comes of it run where one of them runs', async () => {
    const cli = await workspace()
    await add(cli, '12:00', '13:00', 'a')
    await cli.json('start', 'design', '--at', '13:00')
    expect(await cli.json('join', '1', '@')).toMatchObject({ id: 1, running: true, notes: 'a' })
    expect(await log(cli)).toEqual(['12:00–runs a'])
    expect(await cli.json('status', '--cached')).toMatchObject({ id: 1 })
  })

  test.each([[['1']], [['1', '1']], [['1', '@1']]])(
    'refuses %j: one entry is none to join',
    async (words) => {
      const cli = await workspace()
      await add(cli, '9:00', '10:00')
      expect(await cli.run('join', ...words)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('At least two entries'),
      })
    },
  )

  test('says which external id goes', async () => {
    const cli = await workspace()
    await add(cli, '9:00', '10:00')
    await cli.json('add', 'design', '--from', '10:00', '--to', '11:00', '--external-id', 'T-2')
    expect((await cli.run('join', '1', '2')).stderr).toContain('The external ID T-2 is deleted with entry 2.')
    expect(await cli.json('join', '1', '2', '--yes')).toMatchObject({ external_id: null })
  })
})

test('what was split anywhere and joined again is as it was', async () => {
  const random = new SeededRandom(`${chooseSeed('mending')} split`)
  const cli = await workspace()
  // The clocks go back that night.
  const [from, to] = ['2024-10-26T20:00:00Z', '2024-10-27T04:30:00Z']
  cli.setTime('2024-10-28T09:00:00Z')
  const { id } = await cli.json('add', 'design', '--from', from, '--to', to, '-n', 'x')
  for (let round = 0; round < 10; round++) {
    const cut = () => new Date(Date.parse(from) + random.between(1, 8.5 * 3600 - 1) * 1000)
    const cuts = [...new Set(Array.from({ length: random.between(1, 4) }, cut).map((at) => at.toISOString()))]
    const pieces = await cli.json<Row[]>('split', String(id), ...cuts.flatMap((at) => ['--at', at]))
    const bounds = pieces.map((piece) =>
      [piece.time_start, piece.time_end].map((at) => Date.parse(String(at))),
    )
    expect(bounds.map(([, end]) => end)).toEqual([...cuts.map((at) => Date.parse(at)).sort(), Date.parse(to)])
    expect(bounds.map(([start]) => start)).toEqual([
      Date.parse(from),
      ...bounds.slice(0, -1).map(([, end]) => end),
    ])
    const joined = await cli.json('join', ...pieces.map((piece) => String(piece.id)))
    expect(joined).toMatchObject({ id, notes: 'x', duration_seconds: 8.5 * 3600 })
    expect(await cli.json('log')).toHaveLength(1)
  }
})

describe('tt fill', () => {
  /** What comes of an entry on that Wednesday, the others being there already. */
  const cases: [
    string,
    others: [string, string][],
    entry: [string, string],
    options: string[],
    filled: string,
  ][] = [
    [
      'reaches from the one before to the one after',
      [
        ['8:00', '9:30'],
        ['11:00', '12:00'],
      ],
      ['10:00', '10:15'],
      [],
      '09:30–11:00',
    ],
    [
      'goes back alone with --before',
      [
        ['9:00', '9:30'],
        ['11:00', '12:00'],
      ],
      ['10:00', '10:15'],
      ['--before'],
      '09:30–10:15',
    ],
    [
      'goes on alone with --after',
      [
        ['9:00', '9:30'],
        ['11:00', '12:00'],
      ],
      ['10:00', '10:15'],
      ['--after'],
      '10:00–11:00',
    ],
    [
      'takes both options for both sides',
      [
        ['9:00', '9:30'],
        ['11:00', '12:00'],
      ],
      ['10:00', '10:15'],
      ['--before', '--after'],
      '09:30–11:00',
    ],
    ['stays within working hours, and ends now', [], ['10:00', '10:15'], [], '09:00–14:00'],
    [
      'goes back over what is no working time to the entry before',
      [['6:00', '6:30']],
      ['7:00', '7:15'],
      ['--before'],
      '06:30–07:15',
    ],
    [
      'goes no further back than the working hours from within them',
      [['7:00', '8:00']],
      ['10:00', '10:15'],
      ['--before'],
      '09:00–10:15',
    ],
    [
      'leaves a side alone where no entry is, outside of working hours',
      [],
      ['7:00', '7:15'],
      ['--before'],
      '07:00–07:15',
    ],
    [
      'leaves a side alone where another entry overlaps',
      [
        ['9:00', '10:10'],
        ['10:14', '12:00'],
      ],
      ['10:00', '10:15'],
      [],
      '10:00–10:15',
    ],
    [
      'goes over what lies within',
      [
        ['9:00', '9:30'],
        ['10:05', '10:10'],
        ['11:00', '11:30'],
      ],
      ['10:00', '10:15'],
      [],
      '09:30–11:00',
    ],
    [
      'does not go back over midnight',
      [['2024-05-07 20:00', '2024-05-07 23:00']],
      ['1:00', '1:15'],
      ['--before'],
      '01:00–01:15',
    ],
    [
      'goes back to what has ended after midnight',
      [['2024-05-07 20:00', '0:30']],
      ['1:00', '1:15'],
      ['--before'],
      '00:30–01:15',
    ],
    [
      'does not go on over midnight',
      [['0:30', '1:00']],
      ['2024-05-07 22:00', '2024-05-07 23:00'],
      [],
      '22:00–23:00',
    ],
    [
      'leaves both sides alone outside of working hours without an option',
      [
        ['6:00', '6:30'],
        ['8:00', '8:30'],
      ],
      ['7:00', '7:15'],
      [],
      '07:00–07:15',
    ],
    [
      'goes on in working hours after a start before them',
      [['6:00', '8:00']],
      ['8:30', '9:30'],
      [],
      '08:30–14:00',
    ],
    [
      'goes on outside of working hours with --after',
      [['8:00', '8:30']],
      ['7:00', '7:15'],
      ['--after'],
      '07:00–08:00',
    ],
    ['leaves one that ends later than now', [], ['13:30', '16:00'], ['--after'], '13:30–16:00'],
  ]
  test.each(cases)('%s', async (_, others, entry, options, filled) => {
    const cli = await workspace()
    for (const [from, to] of others)
      await add(
        cli,
        from.includes('-') ? from : `2024-05-08 ${from}`,
        to.includes('-') ? to : `2024-05-08 ${to}`,
      )
    const id = await add(cli, ...entry)
    expect(times([await cli.json('fill', id, ...options, '--yes')])).toEqual([filled])
    expect(await log(cli)).toHaveLength(others.length + 1)
  })

  test('says what it did, and what it left', async () => {
    const cli = await workspace()
    await add(cli, '9:00', '9:30')
    const id = await add(cli, '10:00', '10:15')
    expect((await cli.run('fill', id, '--yes')).stderr).toBe(
      'Filled 30m before (09:30–10:00) and 3h 45m after (10:15–14:00) entry 2, Website / Design: 4h 30m (09:30–14:00).\n',
    )
    expect(await cli.run('fill', id)).toMatchObject({
      status: 0,
      stderr: 'Nothing to fill around entry 2, Website / Design: 4h 30m (09:30–14:00).\n',
    })
    expect((await cli.run('undo')).stderr).toContain('Undid: Filled the time around Website / Design.')
    expect(await log(cli)).toEqual(['09:00–09:30', '10:00–10:15'])
  })

  test('leaves an entry of a Saturday alone without an option', async () => {
    const cli = await workspace()
    cli.setTime('2024-05-11T20:28:00')
    const id = await add(cli, '9:00', '9:30')
    expect(times([await cli.json('fill', id)])).toEqual(['09:00–09:30'])
    expect(times([await cli.json('fill', id, '--after', '--yes')])).toEqual(['09:00–20:28'])
  })

  test('prompts above one hour', async () => {
    const cli = await workspace()
    await add(cli, '9:00', '9:30')
    const id = await add(cli, '10:00', '13:30')
    expect(times([await cli.json('fill', id)])).toEqual(['09:30–14:00'])
    await cli.json('undo')
    cli.setTime('2024-05-08T14:01:00')
    const refused = await cli.run('fill', id)
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('--yes') })
    expect(refused.stderr).toContain('by 1h 01m: 30m before (09:30–10:00) and 31m after (13:30–14:01).')
    expect(await log(cli)).toEqual(['09:00–09:30', '10:00–13:30'])
    expect(await cli.run('fill', id, '--yes')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('30m before (09:30–10:00) and 31m after (13:30–14:01)'),
    })
  })

  test('extends what runs back alone', async () => {
    const cli = await workspace()
    await add(cli, '9:00', '12:00')
    await cli.json('start', 'review', '--at', '13:00')
    expect(await cli.json('fill', '@')).toMatchObject({
      running: true,
      time_start: '2024-05-08T12:00:00+02:00',
    })
  })

  test('keeps to a break of the working hours', async () => {
    const cli = await workspace()
    await cli.run('config', 'set', 'working_hours', '9:00-12:00,13:00-17:00')
    await add(cli, '9:00', '11:30')
    await add(cli, '13:15', '13:30')
    expect(times([await cli.json('fill', '@1', '--before')])).toEqual(['13:00–13:30'])
    expect(times([await cli.json('fill', '@2', '--after', '--yes')])).toEqual(['09:00–12:00'])
  })
})

/** What was done before, the line, and what is wanted of it. */
interface Story {
  before: string[][]
  line: string[]
  wanted: string[]
  requests: string[]
}

const stories: Record<string, Story> = {
  split: {
    before: [['add', 'design', '--from', '9:00', '--to', '12:00', '-n', 'x']],
    line: ['split', '@1', '--at', '10:00', '--at', '11:00'],
    wanted: ['09:00–10:00 x', '10:00–11:00 x', '11:00–12:00 x'],
    requests: ['POST', 'POST', 'PATCH'],
  },
  'split of what runs': {
    before: [['start', 'design', '--at', '11:00', '-n', 'x']],
    line: ['split', '@', '--at', '12:00', '--at', '13:00'],
    wanted: ['11:00–12:00 x', '12:00–13:00 x', '13:00–runs x'],
    requests: ['POST', 'PATCH', 'POST'],
  },
  join: {
    before: [
      ['add', 'design', '--from', '9:00', '--to', '10:00', '-n', 'a'],
      ['add', 'design', '--from', '10:00', '--to', '11:00', '-n', 'b'],
      ['add', 'design', '--from', '11:00', '--to', '12:00', '-n', 'c'],
    ],
    line: ['join', '@1', '@2', '@3'],
    wanted: ['09:00–12:00 a; b; c'],
    requests: ['PATCH', 'DELETE', 'DELETE'],
  },
  'join with what runs': {
    before: [
      ['add', 'design', '--from', '11:00', '--to', '13:00', '-n', 'a'],
      ['start', 'design', '--at', '13:00'],
    ],
    line: ['join', '@1', '@'],
    wanted: ['11:00–runs a'],
    requests: ['PATCH', 'DELETE', 'PATCH'],
  },
}

async function officeFor({ before }: Story): Promise<ServiceSetup> {
  const setup = await setUpService()
  let minute = 0
  for (const line of before) {
    setup.cli.setTime(`2024-05-08T12:0${minute++}:00Z`)
    await setup.cli.json(...line)
  }
  await setup.cli.run('log')
  setup.cli.setTime('2024-05-08T12:05:00Z')
  setup.clearRequests()
  return setup
}

describe.each(Object.entries(stories))('%s at a service', (_, story) => {
  const { line, wanted, requests } = story

  test('is sent in an order in which no time is lost and no two timers run', async () => {
    const { cli, entries, takeChanges, proxy } = await officeFor(story)
    const opened = (await entries()).filter(({ time_end }) => time_end === null).length
    let most = 0
    proxy.fault = async (_request, forward) => {
      const response = await forward()
      most = Math.max(most, (await entries()).filter(({ time_end }) => time_end === null).length)
      return response
    }
    expect(await cli.run(...line)).toMatchObject({ status: 0 })
    expect(takeChanges().map(({ method }) => method)).toEqual(requests)
    expect(most).toBe(opened)
    expect(times(await entries())).toEqual(wanted)
  })

  test.each([
    ['its answer is lost', dropResponse],
    ['it never arrives', dropRequest],
    ['the service fails on it', respondToAll(500)],
  ])('comes to what was wanted, once, whichever request is the one where %s', async (_how, fault) => {
    for (let failing = 1; failing <= requests.length; failing++) {
      const { cli, entries, proxy } = await officeFor(story)
      let count = 0
      proxy.fault = (request, forward) => {
        if (request.method !== 'GET') count++
        return request.method !== 'GET' && count >= failing ? fault(request, forward) : forward()
      }
      expect(await cli.run(...line)).toMatchObject({
        status: 0,
        stderr: expect.stringContaining('Saved locally'),
      })
      expect(await log(cli), `before sync, ${failing}`).toEqual(wanted)
      proxy.fault = noFault
      expect(await cli.run('sync')).toMatchObject({ status: 0 })
      expect(times(await entries()), `request ${failing}`).toEqual(wanted)
      expect(await log(cli)).toEqual(wanted)
      expect(await cli.json('sync', 'list')).toEqual([])
    }
  })

  test('loses no time where the service refuses one of the requests, and goes on when that is retried', async () => {
    for (let failing = 1; failing <= requests.length; failing++) {
      const { cli, entries, proxy, takeChanges } = await officeFor(story)
      const covered = minutes(await entries())
      let count = 0
      proxy.fault = (request, forward) => {
        if (request.method !== 'GET') count++
        return request.method !== 'GET' && count === failing
          ? respondToChanges(422, { error: 'unprocessable', errors: { task_link_id: ['is closed'] } })(
              request,
              forward,
            )
          : forward()
      }
      expect(await cli.run(...line)).toMatchObject({ status: 7 })
      // What comes after it waits for it.
      expect(takeChanges()).toHaveLength(failing)
      if (line[0] === 'join' || line[1] === '@1')
        expect(minutes(await entries())).toEqual(expect.arrayContaining(covered))
      const [aside] = (await cli.json<Row[]>('sync', 'list')).filter(({ state }) => state === 'refused')
      expect(await cli.run('sync', 'retry', String(aside?.id))).toMatchObject({ status: 0 })
      expect(times(await entries()), `request ${failing}`).toEqual(wanted)
    }
  })

  test('works offline, is one change for undo, and reaches the service when it is back', async () => {
    const { cli, entries, proxy } = await officeFor(story)
    const before = times(await entries())
    await proxy.close()
    for (const again of [false, true]) {
      expect(await cli.run(...line)).toMatchObject({ status: 0 })
      expect(await log(cli)).toEqual(wanted)
      if (!again)
        expect(await cli.run('undo')).toMatchObject({
          status: 0,
          stderr: expect.stringContaining('Undid: '),
        })
      if (!again) expect(await log(cli)).toEqual(before)
    }
    await proxy.open()
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(times(await entries())).toEqual(wanted)
  })
})

/** Every quarter of an hour that was tracked; what runs counts up to 14:00. */
function minutes(rows: readonly Row[]): number[] {
  const found = new Set<number>()
  for (const { time_start, time_end } of rows) {
    const end = Date.parse(String(time_end ?? now))
    for (let at = Date.parse(String(time_start)); at < end; at += 900_000) found.add(at)
  }
  return [...found].sort()
}

test('dropping what was refused of a split drops what was to make place for it', async () => {
  const story = stories.split as Story
  const { cli, entries, proxy } = await officeFor(story)
  proxy.fault = respondToChanges(422, { error: 'unprocessable' })
  expect(await cli.run(...story.line)).toMatchObject({ status: 7 })
  proxy.fault = noFault
  const [aside] = await cli.json<Row[]>('sync', 'list')
  const dropped = await cli.run('sync', 'discard', String(aside?.id), '--yes')
  expect(dropped).toMatchObject({ status: 0, stderr: 'Discarded 3 changes.\n' })
  expect(await cli.run('sync')).toMatchObject({ status: 0 })
  expect(times(await entries())).toEqual(['09:00–12:00 x'])
})

test('what waits for a refused change waits for what is typed in its place', async () => {
  const story = stories.join as Story
  const { cli, entries, proxy, takeChanges } = await officeFor(story)
  proxy.fault = respondToChanges(422, { error: 'unprocessable' })
  expect(await cli.run(...story.line)).toMatchObject({ status: 7 })
  proxy.fault = noFault
  takeChanges()
  const [{ id } = {}] = await entries()
  expect(await cli.run('edit', String(id), '--to', '12:00', '-n', 'all')).toMatchObject({ status: 0 })
  expect(await cli.run('sync')).toMatchObject({ status: 0 })
  expect(takeChanges().map(({ method }) => method)).toEqual(['PATCH', 'DELETE', 'DELETE'])
  expect(times(await entries())).toEqual(['09:00–12:00 all'])
})

describe('tt edit of several entries', () => {
  test('gives all of them the same task and notes: one change for undo', async () => {
    const { cli, entries, takeChanges } = await officeFor(stories.join as Story)
    const edited = await cli.json<Row[]>('edit', '@1', '@2', '@1', '--task', 'review', '-n', 'x')
    expect(edited).toMatchObject([
      { task: 'Review', notes: 'x' },
      { task: 'Review', notes: 'x' },
    ])
    expect(takeChanges().map(({ method }) => method)).toEqual(['PATCH', 'PATCH'])
    expect(times(await entries())).toEqual(['09:00–10:00 a', '10:00–11:00 x', '11:00–12:00 x'])
    expect((await cli.run('undo')).stderr).toContain('Undid: Changed Website / Design; Website / Design.')
    expect(times(await entries())).toEqual(['09:00–10:00 a', '10:00–11:00 b', '11:00–12:00 c'])
  })

  test('refuses times, which are for one', async () => {
    const { cli } = await officeFor(stories.join as Story)
    for (const option of [
      ['--from', '9:00'],
      ['--to', '9:00'],
      ['--for', '1h'],
    ]) {
      const refused = await cli.run('edit', '@1', '@2', ...option)
      expect(refused).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('apply to one entry, not to 2'),
      })
    }
    expect(await cli.run('edit', '@1', '@2')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('No change was given'),
    })
  })

  test('changes the others where the service refuses one', async () => {
    const { cli, entries, proxy } = await officeFor(stories.join as Story)
    let count = 0
    proxy.fault = (request, forward) =>
      request.method === 'PATCH' && count++ === 0 ? respondToChanges(422)(request, forward) : forward()
    expect(await cli.run('edit', '@1', '@2', '-n', 'x')).toMatchObject({ status: 7 })
    expect(times(await entries())).toEqual(['09:00–10:00 a', '10:00–11:00 x', '11:00–12:00 c'])
  })
})
