import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entry, Profile, stage } from './profile.js'

test('n equal rows are n entries, also when only some of them were imported earlier', async () => {
  const profile = new Profile()
  const { actions } = await profile.import([entry('09:00-10:00'), entry('09:00-10:00')])
  expect(actions).toEqual(['create', 'create'])
  const second = await stage([entry('09:00-10:00'), entry('09:00-10:00'), entry('09:00-10:00')])
  expect(await profile.compare(second)).toEqual(['unchanged', 'unchanged', 'create'])
})

test.each([
  ['end', { end: new Date('2024-05-01T12:00:00Z') }],
  ['notes', { notes: 'Other' }],
  ['task', { task: 'Review' }],
])('an entry whose %s changed in the source is reported, and updated on request', async (_, change) => {
  const profile = new Profile()
  await profile.import([entry('09:00-10:00', { sourceId: '1' })])
  const second = await stage([entry('09:00-10:00', { sourceId: '1', ...change })])
  second.assign(1, { kind: 'existing', id: 'task' in change ? 8 : 7, label: '' })
  expect(await profile.compare(second)).toEqual(['changed'])
  expect(await profile.compare(second, { update: true })).toEqual(['update'])
  await profile.apply(second)
  expect(await profile.compare(second, { update: true })).toEqual(['unchanged'])
  expect(profile.existing).toHaveLength(1)
})

test('an entry that was edited here, but not in the source, stays as it is', async () => {
  const profile = new Profile()
  await profile.import([entry('09:00-10:00', { sourceId: '1' })])
  const [imported] = profile.existing
  if (imported) imported.notes = 'Edited here'
  const second = await stage([entry('09:00-10:00', { sourceId: '1' })])
  expect(await profile.compare(second, { update: true })).toEqual(['unchanged'])
})

test('without the memory of an earlier import, the entry itself is compared', async () => {
  const profile = new Profile()
  profile.existing.push(
    { ...times('09:00', '10:00'), id: 1, externalId: 'toggl/1', notes: '', taskLink: '7' },
    { ...times('11:00', '12:00'), id: 2, externalId: 'toggl/2', notes: 'Edited', taskLink: 7 },
  )
  const staging = await stage([
    entry('09:00-10:00', { sourceId: '1' }),
    entry('11:00-12:00', { sourceId: '2' }),
  ])
  expect(await profile.compare(staging)).toEqual(['unchanged', 'changed'])
})

test('a deleted entry does not return, unless it is requested', async () => {
  const profile = new Profile()
  const { staging } = await profile.import([entry('09:00-10:00'), entry('10:00-11:00')])
  profile.existing.shift()
  expect(await profile.compare(staging)).toEqual(['deleted', 'unchanged'])
  expect(await profile.compare(staging, { again: true })).toEqual(['create', 'unchanged'])
})

test('an entry that was moved to another day is not created again', async () => {
  const profile = new Profile()
  const { staging } = await profile.import([entry('09:00-10:00')])
  profile.elsewhere.push(...profile.existing.splice(0))
  expect(await profile.compare(staging)).toEqual(['deleted'])
  expect(await profile.compare(staging, { again: true })).toEqual(['unchanged'])
})

test('entries without an external ID are equal by task link, times and notes, each once', async () => {
  const profile = new Profile()
  const same = { ...times('09:00', '10:00'), externalId: null, notes: 'Logo' }
  profile.existing.push({ ...same, id: 1, taskLink: 7 }, { ...same, id: 2, taskLink: 8 })
  const staging = await stage([
    entry('09:00-10:00', { notes: 'Logo' }),
    entry('09:00-10:00', { notes: 'Logo' }),
    entry('09:00-10:00', { notes: 'Page' }),
  ])
  expect(await profile.compare(staging)).toEqual(['equal', 'create', 'create'])
})

test('an entry with milliseconds, which services do not store, is equal to the one in whole seconds', async () => {
  const start = new Date('2024-05-01T09:00:00.400Z')
  const imported = new Profile()
  const { staging } = await imported.import([entry('09:00-10:00', { start })])
  const elsewhere = new Profile() // Another machine, which does not remember the import.
  elsewhere.existing.push(
    ...imported.existing.map((one) => ({ ...one, start: new Date('2024-05-01T09:00:00Z') })),
  )
  expect(await elsewhere.compare(staging)).toEqual(['unchanged'])
})

test('a running entry without an external ID is equal to a running one only', async () => {
  const profile = new Profile()
  profile.existing.push({ ...times('09:00', '10:00'), id: 1, externalId: null, notes: '', taskLink: 7 })
  const staging = await stage([entry('09:00')])
  expect(await profile.compare(staging)).toEqual(['create'])
})

test('imports of overlapping parts of a source, in any order and repeatedly, create each entry once', async () => {
  const rows = fc.array(
    fc.record({
      hour: fc.integer({ min: 0, max: 5 }),
      notes: fc.constantFrom('', 'a', 'b'),
      id: fc.constantFrom(null, '1', '2'),
    }),
    { maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.array(fc.array(fc.integer({ min: 0, max: 5 })), { maxLength: 4 }),
      async (all, parts) => {
        const profile = new Profile()
        // Entries with an ID have one content; those of an hour are exported together.
        const source = all
          .filter(({ id }, at) => id === null || all.findIndex((other) => other.id === id) === at)
          .map(({ hour, notes, id }) => ({
            hour,
            entry: entry(`0${hour}:00-0${hour}:30`, { notes, sourceId: id }),
          }))
        const hours = [...parts, [0, 1, 2, 3, 4, 5]]
        for (const part of hours)
          await profile.import(source.flatMap((row) => (part.includes(row.hour) ? row.entry : [])))
        const text = (start: Date, notes: string) => `${start.toISOString()} ${notes}`
        expect(profile.existing.map(({ start, notes }) => text(start, notes)).sort()).toEqual(
          source.map(({ entry }) => text(entry.start, entry.notes)).sort(),
        )
      },
    ),
    { numRuns: 20 },
  )
})

function times(start: string, end: string) {
  return { start: new Date(`2024-05-01T${start}:00Z`), end: new Date(`2024-05-01T${end}:00Z`) }
}
