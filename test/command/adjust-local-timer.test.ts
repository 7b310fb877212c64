import { describe, expect, test } from 'vitest'
import { type Abroad, abroad, answerLost, cut, logOf, typed } from '../support/foreign-service-setup.js'
import { passOn } from '../support/proxy.js'

const openEntries = { status: 422, body: '{"errors":{"time_end":["must be given"]}}' }
const design = (notes: string, from: string, to: string) => ({ task: 'Design', notes, from, to })

/** Of one that runs, there are as many as the service takes. */
const finished = (entries: { to: string }[]) => entries.filter(({ to }) => to !== '')

interface Story {
  begin(there: Abroad): Promise<unknown>
  line: string[]
  wanted: ReturnType<typeof design>[]
}

const stories: Record<string, Story> = {
  split: {
    begin: ({ desk }) => typed(desk, '08:00:00', 'start', 'design', '-n', 'x'),
    line: ['split', '@', '--at', '8:10', '--at', '8:20'],
    wanted: [design('x', '08:00', '08:10'), design('x', '08:10', '08:20'), design('x', '08:20', '')],
  },
  join: {
    async begin({ desk }) {
      await typed(desk, '08:00:00', 'add', 'design', '--from', '7:00', '--to', '8:00', '-n', 'x')
      await typed(desk, '08:00:00', 'start', 'design')
    },
    line: ['join', '@1', '@'],
    wanted: [design('x', '07:00', '')],
  },
}

describe.each(Object.entries(stories))('tt %s of a timer that the service does not take open', (_, story) => {
  test.each([
    ['is told at once', passOn],
    ['is kept where answers are lost', answerLost],
    ['is kept where nothing arrives', cut],
  ])('%s, runs on here, and reaches the service whole when it is stopped', async (_how, fate) => {
    const there = await abroad({ openEntries })
    const { desk } = there
    await story.begin(there)
    await typed(desk, '08:29:00', 'log')
    there.line.fate = fate
    await typed(desk, '08:30:00', ...story.line)
    expect(await logOf(desk)).toEqual(story.wanted)
    there.line.fate = passOn
    await typed(desk, '08:40:00', 'sync')
    expect(await logOf(desk)).toEqual(story.wanted)
    expect(await there.entries()).toEqual(finished(story.wanted))
    await typed(desk, '09:00:00', 'stop')
    expect(await there.entries()).toEqual(story.wanted.map((one) => ({ ...one, to: one.to || '09:00' })))
    expect(await desk.json('sync', 'list')).toEqual([])
  })

  test('is one change for undo', async () => {
    const there = await abroad({ openEntries })
    await story.begin(there)
    const before = await logOf(there.desk)
    await typed(there.desk, '08:30:00', ...story.line)
    await typed(there.desk, '08:40:00', 'undo')
    expect(await logOf(there.desk)).toEqual(before)
    await typed(there.desk, '09:00:00', 'stop')
    expect(await there.entries()).toEqual(before.map((one) => ({ ...one, to: one.to || '09:00' })))
  })
})

describe('at a service that learns only then that open entries are refused', () => {
  test('a join with what another client runs is held here', async () => {
    const there = await abroad()
    const { desk } = there
    await typed(desk, '08:00:00', 'add', 'design', '--from', '7:00', '--to', '8:00', '-n', 'x')
    await typed(desk, '08:00:00', 'start', 'design')
    there.foreign.make = { openEntries }
    await typed(desk, '08:30:00', 'join', '@1', '@')
    expect(await logOf(desk)).toEqual([design('x', '07:00', '')])
    await typed(desk, '09:00:00', 'stop')
    expect(await there.entries()).toEqual([design('x', '07:00', '09:00')])
  })
})
