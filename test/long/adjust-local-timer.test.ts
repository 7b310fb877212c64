import { describe, expect, test } from 'vitest'
import {
  design,
  type ForeignServiceSetup,
  readLog,
  runAt,
  setUpForeignService,
} from '../support/foreign-service-setup.js'
import { dropRequest, dropResponse, noFault } from '../support/proxy.js'

const openEntryResponse = { status: 422, body: '{"errors":{"time_end":["must be given"]}}' }

interface Scenario {
  setUp(setup: ForeignServiceSetup): Promise<unknown>
  line: string[]
  expected: ReturnType<typeof design>[]
}

const scenarios: Record<string, Scenario> = {
  split: {
    setUp: ({ cli }) => runAt(cli, '08:00:00', 'start', 'design', '-n', 'x'),
    line: ['split', '@', '--at', '8:10', '--at', '8:20'],
    expected: [design('x', '08:00', '08:10'), design('x', '08:10', '08:20'), design('x', '08:20', '')],
  },
  join: {
    async setUp({ cli }) {
      await runAt(cli, '08:00:00', 'add', 'design', '--from', '7:00', '--to', '8:00', '-n', 'x')
      await runAt(cli, '08:00:00', 'start', 'design')
    },
    line: ['join', '@1', '@'],
    expected: [design('x', '07:00', '')],
  },
}

describe.each(Object.entries(scenarios))(
  'tt %s of a timer, with a service that rejects open entries,',
  (_, scenario) => {
    test.each([
      ['all requests', noFault],
      ['lost responses', dropResponse],
      ['lost requests', dropRequest],
    ])('keeps the timer local, and sends it when it stops, with %s', async (_name, fault) => {
      const setup = await setUpForeignService({ openEntryResponse })
      const { cli } = setup
      await scenario.setUp(setup)
      await runAt(cli, '08:29:00', 'log')
      setup.proxy.fault = fault
      await runAt(cli, '08:30:00', ...scenario.line)
      expect(await readLog(cli)).toEqual(scenario.expected)
      setup.proxy.fault = noFault
      await runAt(cli, '08:40:00', 'sync')
      expect(await readLog(cli)).toEqual(scenario.expected)
      expect(await setup.entries()).toEqual(scenario.expected.filter(({ to }) => to !== ''))
      await runAt(cli, '09:00:00', 'stop')
      expect(await setup.entries()).toEqual(
        scenario.expected.map((entry) => ({ ...entry, to: entry.to || '09:00' })),
      )
      expect(await cli.json('sync', 'list')).toEqual([])
    })

    test('is undone as one change', async () => {
      const setup = await setUpForeignService({ openEntryResponse })
      await scenario.setUp(setup)
      const before = await readLog(setup.cli)
      await runAt(setup.cli, '08:30:00', ...scenario.line)
      await runAt(setup.cli, '08:40:00', 'undo')
      expect(await readLog(setup.cli)).toEqual(before)
      await runAt(setup.cli, '09:00:00', 'stop')
      expect(await setup.entries()).toEqual(before.map((entry) => ({ ...entry, to: entry.to || '09:00' })))
    })
  },
)

describe('a service that begins to reject open entries', () => {
  test('keeps the joined timer local', async () => {
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
