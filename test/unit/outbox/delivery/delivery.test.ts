import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Api } from '../../../../src/api-client/api.js'
import { RejectedError, UnreachableError } from '../../../../src/api-client/api-errors.js'
import type { WireFields, WireRecord } from '../../../../src/api-client/types.js'
import { Cache } from '../../../../src/outbox/cache/cache.js'
import { openCapabilities } from '../../../../src/outbox/cache/known-capabilities.js'
import { Delivery, nextPhases } from '../../../../src/outbox/delivery/delivery.js'
import { asPending, Outbox } from '../../../../src/outbox/outbox.js'
import type { QueuedChange } from '../../../../src/outbox/queued-change.js'
import { openTestState } from '../fixtures.js'

const nowMs = Date.parse('2024-05-08T12:00:00Z')
const edges = Object.entries(nextPhases)
  .flatMap(([phase, next]) => next.map((other) => `${phase} -> ${other}`))
  .sort()

test('the diagram in docs/internals/delivery.md has the phases of the code', () => {
  const text = readFileSync('docs/internals/delivery.md', 'utf8')
  const diagram = [...text.matchAll(/^ {2}(\S+) --> (\S+?)(?::.*)?$/gm)]
    .map(([, from = '', to = '']) => [from, to].map((name) => name.replace('_', ' ')))
    .filter(([from, to]) => from !== '[*]' && to !== '[*]')
    .map(([from, to]) => `${from} -> ${to}`)
  expect(diagram.sort()).toEqual(edges)
})

const timeEntry = {
  id: 5,
  time_start: '2024-05-08T08:00:00.000Z',
  time_end: '2024-05-08T08:30:00.000Z',
  notes: 'before',
  task_link_id: 1,
}
const { id: _, ...created } = timeEntry
const expense = { spent_on: '2024-05-08', amount: '3.00', notes: 'tram' }
const lost = () => {
  throw new UnreachableError('The service cannot be reached.')
}
const reject = (status: number) => () => {
  throw new RejectedError('rejected', 'No.', { reason: 'No.', fields: [], status })
}
const serverFault = () => {
  throw new UnreachableError('The service failed.', { status: 500 })
}

/** A service whose responses a scenario sets, and the phases that its change passes through. */
async function startScenario() {
  const state = await openTestState()
  const [outbox, cache] = [new Outbox(state), new Cache(state.database)]
  const paths: string[][] = []
  let clockMs = nowMs
  let change: QueuedChange | undefined
  const note = (phase: string) => {
    const path = paths.at(-1)
    if (path?.at(-1) !== phase) path?.push(phase)
  }
  const responses = {
    read: (): WireRecord => timeEntry,
    change: (fields: WireFields): WireRecord => ({ ...timeEntry, ...fields }),
    create: (fields: WireFields): WireRecord => ({ id: 9, ...fields }),
    list: (): WireRecord[] => [],
  }
  const sending = (respond: () => WireRecord) => {
    if (change && outbox.get(change.seq)?.outcomeUnknown) note('sending')
    return respond()
  }
  const api = {
    getTimeEntry: async () => responses.read(),
    updateTimeEntry: async (_id: unknown, fields: WireFields) => ({
      record: sending(() => responses.change(fields)),
      isRead: false,
    }),
    createTimeEntry: async (fields: WireFields) => sending(() => responses.create(fields)),
    createExpense: async (fields: WireFields) => sending(() => responses.create(fields)),
    listTimeEntries: async () => responses.list(),
    listExpenses: async () => responses.list(),
    getExpense: async () => responses.list()[0],
    expenseDateField: async () => ({ name: 'spent_on', wasUnknownAt: () => false }),
  } as unknown as Api
  const delivery = new Delivery({
    capabilities: openCapabilities(state, () => new Date(clockMs)),
    ...{ api, state, outbox, cache, hasDelivery: true, warn: () => {}, clock: () => new Date(clockMs) },
    uptimeMs: () => 500_000 + clockMs - nowMs,
    facts: { supportsKeys: () => false, supportsConditions: () => false, clockOffsetMs: () => undefined },
    ...{ labelOf: () => 'Design', recordDelivery: () => {} },
  })
  const notePhase = () => {
    const current = change && outbox.get(change.seq)
    note(current ? delivery.phaseOf(current) : 'delivered')
  }
  return {
    responses,
    delivery,
    outbox,
    /** Queues a change; its phases are noted from now on. */
    queue(planned: Parameters<Outbox['append']>[0], options: Parameters<Outbox['append']>[2] = {}) {
      change = outbox.append(planned, new Date(clockMs), options)
      paths.push(['pending'])
      notePhase()
      return change
    },
    /** Delivers the outbox after this number of seconds. */
    async deliver(seconds = 0) {
      clockMs += seconds * 1000
      await delivery.run({ repeatLookups: true })
      const current = change && outbox.get(change.seq)
      // A request without a response leaves it in this phase, before the next look-up.
      if (current?.outcomeUnknown && paths.at(-1)?.at(-1) === 'sending') note('unknown')
      notePhase()
    },
    /** Applies what a command does to the change. */
    command(update: (change: QueuedChange) => QueuedChange) {
      const current = change && outbox.get(change.seq)
      if (current) outbox.update(update(current))
      notePhase()
    },
    change: () => change && outbox.get(change.seq),
    notePhase,
    transitions: () =>
      paths.flatMap((path) => path.slice(1).map((phase, index) => `${path[index]} -> ${phase}`)),
  }
}

type Scenario = Awaited<ReturnType<typeof startScenario>>
const edit = { kind: 'entry', op: 'update', record: timeEntry, fields: { notes: 'after' } } as const
const add = { kind: 'entry', op: 'create', fields: created } as const
const buy = { kind: 'expense', op: 'create', fields: expense } as const

/** Loses the response to an edit of the notes, delivers its repetition, and queues a later edit. */
async function leaveAttempt({ responses, queue, deliver }: Scenario) {
  const { change } = responses
  responses.change = lost
  queue({ ...edit, fields: { notes: 'first' } })
  await deliver()
  responses.change = change
  await deliver()
  responses.read = () => ({ ...timeEntry, notes: 'first' })
  queue({ ...edit, record: { ...timeEntry, notes: 'first' } })
}

/** Loses the response to a new expense, and finds an equal one an hour later. */
async function loseExpense({ responses, queue, deliver }: Scenario) {
  responses.create = lost
  queue(buy)
  await deliver()
  await deliver(10)
  responses.list = () => [{ id: 9, ...expense }]
  await deliver(3600)
}

const scenarios: Record<string, (scenario: Scenario) => Promise<void>> = {
  'a change is rejected and retried': async ({ responses, queue, deliver, command }) => {
    responses.change = reject(422)
    queue(edit)
    await deliver()
    command(asPending)
  },
  'the record has the values already': async ({ responses, queue, deliver }) => {
    responses.read = () => ({ ...timeEntry, notes: 'after' })
    queue(edit)
    await deliver()
  },
  'the record was changed elsewhere': async ({ responses, queue, deliver, command }) => {
    responses.read = () => ({ ...timeEntry, notes: 'elsewhere' })
    queue(edit)
    await deliver()
    command(asPending)
  },
  'one field was changed elsewhere': async ({ responses, queue, deliver }) => {
    responses.read = () => ({ ...timeEntry, notes: 'elsewhere' })
    queue({ ...edit, fields: { notes: 'after', task_link_id: 2 } })
    await deliver()
  },
  'a request has no effect': async ({ responses, queue, deliver }) => {
    responses.change = () => {
      throw new UnreachableError('Too many requests.', { status: 429, isUnsent: true })
    }
    queue(edit)
    await deliver()
  },
  'a lost update is repeated, then rejected after failures': async ({ responses, queue, deliver }) => {
    responses.change = lost
    queue(edit)
    await deliver()
    await deliver()
    responses.change = serverFault
    for (let time = 0; time < 20; time++) await deliver()
  },
  'a lost update was applied': async ({ responses, queue, deliver }) => {
    responses.change = lost
    queue(edit)
    await deliver()
    responses.read = () => ({ ...timeEntry, notes: 'after' })
    await deliver()
  },
  'a lost update meets another client': async ({ responses, queue, deliver }) => {
    responses.change = lost
    queue(edit)
    await deliver()
    responses.read = () => ({ ...timeEntry, notes: 'elsewhere' })
    await deliver()
  },
  'a later change waits for an attempt': async (scenario) => {
    await leaveAttempt(scenario)
    await scenario.deliver(61)
  },
  'a later change waits and is in conflict': async (scenario) => {
    await leaveAttempt(scenario)
    scenario.responses.read = () => ({ ...timeEntry, notes: 'elsewhere' })
    await scenario.deliver(61)
  },
  'a lost entry is found at once': async ({ responses, queue, deliver }) => {
    responses.create = lost
    queue(add)
    await deliver(0)
    responses.list = () => [{ id: 9, ...created }]
    await deliver(61)
  },
  'a lost expense is ambiguous, and adopted': async (scenario) => {
    const { delivery, change, notePhase } = scenario
    await loseExpense(scenario)
    await delivery.adopt(change() as QueuedChange, '9')
    notePhase()
  },
  'a lost expense is ambiguous, and retried': async (scenario) => {
    await loseExpense(scenario)
    scenario.command(asPending)
  },
  'a lost entry cannot be looked up for a day, and is retried': async (scenario) => {
    const { responses, queue, deliver, command } = scenario
    responses.create = lost
    queue(add)
    await deliver()
    responses.list = reject(422) as never
    await deliver(25 * 3600)
    command(asPending)
  },
  'a timer is local until it stops': async ({ responses, queue, deliver, outbox, notePhase, change }) => {
    responses.create = reject(422)
    queue({ ...add, fields: { ...created, time_end: null } })
    await deliver()
    const timer = change() as QueuedChange
    outbox.append(
      {
        kind: 'entry',
        op: 'update',
        record: { ...timeEntry, id: timer.record },
        fields: { time_end: timeEntry.time_end },
      },
      new Date(),
    )
    notePhase()
  },
}

test('the delivery passes through the phases of the code, and through all of them', {
  tags: 'slow',
}, async () => {
  const observed = new Set<string>()
  for (const [name, run] of Object.entries(scenarios)) {
    const scenario = await startScenario()
    await run(scenario)
    const transitions = scenario.transitions()
    expect({ name, unknown: transitions.filter((edge) => !edges.includes(edge)) }).toEqual({
      name,
      unknown: [],
    })
    for (const edge of transitions) observed.add(edge)
  }
  expect(edges.filter((edge) => !observed.has(edge))).toEqual([])
})

test.each([
  ['a moment ago', { wallMs: nowMs - 1900, uptimeMs: 498_100 }, ['PATCH']],
  ['more than two seconds ago', { wallMs: nowMs - 2100, uptimeMs: 497_900 }, ['GET', 'PATCH']],
])('reads an entry again that was read %s', async (_, readAt, requests) => {
  const { responses, queue, delivery } = await startScenario()
  const sent: string[] = []
  responses.read = () => {
    sent.push('GET')
    return timeEntry
  }
  responses.change = (fields) => {
    sent.push('PATCH')
    return { ...timeEntry, ...fields }
  }
  const change = queue(edit)
  const { delivered } = await delivery.run({ fresh: new Map(change ? [[change.seq, readAt]] : []) })
  expect({ sent, delivered }).toEqual({ sent: requests, delivered: 1 })
})
