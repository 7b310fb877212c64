import { expect, test } from 'vitest'
import { schemaVersion } from '../../src/outbox/cache/state-schema.js'
import { runAt } from '../support/foreign-service-setup.js'
import {
  changeNumbers,
  deliveredEntries,
  inspectVersion,
  remainingNumbers,
  setUpPreviousState,
} from '../support/previous-state.js'

const numbers = (changes: { id: number }[]) => changes.map(({ id }) => id)

test('delivers the changes of the previous release exactly once', { tags: 'slow' }, async () => {
  const { cli, service, path, entries, expenses } = await setUpPreviousState()
  cli.setTime('2024-05-08T18:20:00')
  const list = () => cli.json<{ id: number }[]>('sync', 'list')
  expect(numbers(await list())).toEqual(changeNumbers)
  expect(await inspectVersion(path)).toEqual({ version: schemaVersion, integrity: 'ok' })
  expect(await inspectVersion(`${path}.version-6`)).toEqual({ version: 6, integrity: 'ok' })

  await cli.run('sync')
  expect(await entries()).toEqual(deliveredEntries)
  expect(await expenses()).toMatchObject([{ id: 1, amount: '20.00' }])
  expect(numbers(await list())).toEqual(remainingNumbers)
  expect(await cli.json('status')).toMatchObject({ local_id: '~7', notes: 'timer', running: true })

  await cli.run('sync', 'retry', '5')
  await cli.run('sync', 'retry', '6')
  await runAt(cli, '18:30:00', 'stop')
  const [first, second, , ...others] = deliveredEntries
  expect(await entries()).toEqual([
    first,
    second,
    { task: 'Design', notes: 'conflict here', from: '09:00', to: '09:30' },
    { task: 'Design', notes: 'rejected', from: '11:00', to: '11:30' },
    ...others,
    { task: 'Review', notes: 'timer', from: '16:00', to: '18:30' },
  ])
  expect(await list()).toEqual([])

  service.requests.length = 0
  await runAt(cli, '18:40:00', 'sync')
  expect(service.requests.filter((request) => !request.startsWith('GET'))).toEqual([])
})
