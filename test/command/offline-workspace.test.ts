import { describe, expect, test } from 'vitest'
import * as administration from '../../src/service/admin/administration.js'
import type { Fault } from '../support/proxy.js'
import { email } from './login-fixtures.js'
import { issueToken, preparedService } from './service-fixtures.js'

const cut: Fault = () => undefined
const webPage: Fault = () => ({ status: 200, headers: {}, body: '<html>Hotel Wi-Fi</html>' })
const overloaded: Fault = () => ({ status: 503, headers: {}, body: '' })

/** Sets up a service with records for every list. */
const setUpWorkspace = preparedService(async ({ storage }) => {
  await administration.addLink(storage, { client: 'Acme', project: 'App', task: 'Review' })
  await administration.assign(storage, { email, project: 'App', startsOn: '2024-05-01' })
})

const listing = [
  ['projects'],
  ['clients'],
  ['tasks'],
  ['assignments'],
  ['company'],
  ['frequent'],
  ['expenses', 'types'],
]

describe.each(listing)('tt %s %s', (...words) => {
  const argv = words.filter(Boolean)

  test('shows its last output with the age while the service cannot be reached', async () => {
    const { proxy, cli } = await setUpWorkspace()
    await cli.run('add', 'design', '--from', '11:00', '--for', '30m')
    const before = await cli.run(...argv, '--json')
    expect(before).toMatchObject({ status: 0, stderr: '' })
    cli.setTime('2024-05-08T12:06:00Z')
    for (const fault of [cut, webPage, overloaded]) {
      proxy.fault = fault
      const now = await cli.run(...argv, '--json')
      expect(now).toMatchObject({ status: 0, stdout: before.stdout })
      expect(now.stderr).toMatch(/^The service .*Showing cached data of \d\d:00, 6 minutes ago\.\n$/)
    }
    expect(await cli.run(...argv, '--json', '--quiet')).toMatchObject({ stdout: before.stdout, stderr: '' })
  })

  test('exits 6 when nothing was fetched, or only by another account', async () => {
    const { cli, proxy, storage } = await setUpWorkspace()
    await cli.run(...argv)
    proxy.fault = cut
    cli.env.TT_TOKEN = await issueToken(storage)
    expect(await cli.run(...argv)).toMatchObject({
      status: 6,
      stdout: '',
      stderr: expect.stringContaining('cannot be reached'),
    })
  })
})

test.each([
  [['projects', '--where', 'name_cont=WEB'], 1],
  [['projects', '--where', 'client_id_eq=1'], 1],
  [['projects', '--where', 'name_cont=%'], 0],
  [['clients', '--where', 'name_eq=Acme'], 1],
  [['tasks', '--where', 'id_gteq=3'], 1],
  [['tasks', '--where', 'active_eq=true'], 3],
  [['tasks', '--where', 'task_id_eq=1'], 1],
  [['assignments', '--where', 'starts_on_gteq=2024-05-01'], 1],
  [['assignments', '--where', 'starts_on_gteq=2024-05-02'], 0],
  [['expenses', 'types', '--where', 'name_cont=trav'], 1],
])('%j finds %i records, with and without the service', async (argv, count) => {
  const { proxy, cli } = await setUpWorkspace()
  await cli.run(...argv.slice(0, argv.indexOf('--where')))
  const before = await cli.json<unknown[]>(...argv)
  expect(before).toHaveLength(count)
  proxy.fault = cut
  expect(await cli.json(...argv)).toEqual(before)
})
