import { describe, expect, test } from 'vitest'
import {
  type ForeignServiceSetup,
  readLog,
  runAt,
  setUpForeignService,
} from '../support/foreign-service-setup.js'
import { dropRequest, dropResponse, noFault } from '../support/proxy.js'

const openEntryResponse = { status: 422, body: '{"errors":{"time_end":["must be given"]}}' }
const design = (notes: string, from: string, to: string) => ({ task: 'Design', notes, from, to })

/** Of one that runs, there are as many as the service takes. */
const finished = (entries: { to: string }[]) => entries.filter(({ to }) => to !== '')

interface Story {
  begin(setup: ForeignServiceSetup): Promise<unknown>
  line: string[]
  wanted: ReturnType<typeof design>[]
}

const stories: Record<string, Story> = {
  split: {
    begin: ({ cli }) => runAt(cli, '08:00:00', 'start', 'design', '-n', 'x'),
    line: ['split', '@', '--at', '8:10', '--at', '8:20'],
    wanted: [design('x', '08:00', '08:10'), design('x', '08:10', '08:20'), design('x', '08:20', '')],
  },
  join: {
    async begin({ cli }) {
      await runAt(cli, '08:00:00', 'add', 'design', '--from', '7:00', '--to', '8:00', '-n', 'x')
      await runAt(cli, '08:00:00', 'start', 'design')
    },
    line: ['join', '@1', '@'],
    wanted: [design('x', '07:00', '')],
  },
}

describe.each(Object.entries(stories))('tt %s of a timer that the service does not take open', (_, story) => {
  test.each([
    ['is told at once', noFault],
    ['is kept where answers are lost', dropResponse],
    ['is kept where nothing arrives', dropRequest],
  ])('%s, runs on here, and reaches the service whole when it is stopped', async (_how, fault) => {
    const setup = await setUpForeignService({ openEntryResponse })
    const { cli } = setup
    await story.begin(setup)
    await runAt(cli, '08:29:00', 'log')
    setup.proxy.fault = fault
    await runAt(cli, '08:30:00', ...story.line)
    expect(await readLog(cli)).toEqual(story.wanted)
    setup.proxy.fault = noFault
    await runAt(cli, '08:40:00', 'sync')
    expect(await readLog(cli)).toEqual(story.wanted)
    expect(await setup.entries()).toEqual(finished(story.wanted))
    await runAt(cli, '09:00:00', 'stop')
    expect(await setup.entries()).toEqual(story.wanted.map((one) => ({ ...one, to: one.to || '09:00' })))
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('is one change for undo', async () => {
    const setup = await setUpForeignService({ openEntryResponse })
    await story.begin(setup)
    const before = await readLog(setup.cli)
    await runAt(setup.cli, '08:30:00', ...story.line)
    await runAt(setup.cli, '08:40:00', 'undo')
    expect(await readLog(setup.cli)).toEqual(before)
    await runAt(setup.cli, '09:00:00', 'stop')
    expect(await setup.entries()).toEqual(before.map((one) => ({ ...one, to: one.to || '09:00' })))
  })
})

describe('at a service that learns only then that open entries are refused', () => {
  test('a join with what another client runs is held here', async () => {
    const setup = await setUpForeignService()
    const { cli } = setup
    await runAt(cli, '08:00:00', 'add', 'design', '--from', '7:00', '--to', '8:00', '-n', 'x')
    await runAt(cli, '08:00:00', 'start', 'design')
    setup.service.variant = { openEntryResponse }
    await runAt(cli, '08:30:00', 'join', '@1', '@')
    expect(await readLog(cli)).toEqual([design('x', '07:00', '')])
    await runAt(cli, '09:00:00', 'stop')
    expect(await setup.entries()).toEqual([design('x', '07:00', '09:00')])
  })
})
