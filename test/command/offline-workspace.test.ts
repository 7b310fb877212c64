import { describe, expect, test } from 'vitest'
import { scopes } from '../../src/api-client/types.js'
import * as administration from '../../src/service/admin/administration.js'
import { type Fault, type ServiceProxy, startProxy } from '../support/proxy.js'
import type { TestCli } from '../support/test-cli.js'
import { createCliAtServiceTime, email, type Service, startService } from './login-fixtures.js'

const cut: Fault = () => undefined
const webPage: Fault = () => ({ status: 200, headers: {}, body: '<html>Hotel Wi-Fi</html>' })
const overloaded: Fault = () => ({ status: 503, headers: {}, body: '' })

interface WorkspaceSetup {
  service: Service
  proxy: ServiceProxy
  cli: TestCli
}

/** Sets up a `TestCli` that uses a service through a proxy, with a token from the environment. */
async function setUpWorkspace(): Promise<WorkspaceSetup> {
  const service = await startService()
  const { storage } = service
  await administration.addLink(storage, { client: 'Acme', project: 'App', task: 'Review' })
  await administration.addExpenseType(storage, 'Travel')
  await administration.assign(storage, { email, project: 'App', startsOn: '2024-05-01' })
  const cli = createCliAtServiceTime()
  const proxy = await startProxy(service.origin)
  cli.env.TT_BASE_URL = proxy.url
  cli.env.TT_TOKEN = await tokenAt(service)
  return { service, proxy, cli }
}

function tokenAt({ storage }: Service): Promise<string> {
  return administration.issueToken(storage, email, { scopes, name: 'test', clock: () => new Date() })
}

const listing = [
  ['projects'],
  ['clients'],
  ['tasks'],
  ['assignments'],
  ['company'],
  ['frequent'],
  ['expenses', 'types'],
]

/** Returns method and path of the requests since the last call. */
function takeRequests(proxy: ServiceProxy): string[] {
  return proxy.requests.splice(0).map(({ method, path }) => `${method} ${path.replace('/api/v1', '')}`)
}

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
    const { service, proxy, cli } = await setUpWorkspace()
    await cli.run(...argv)
    proxy.fault = cut
    cli.env.TT_TOKEN = await tokenAt(service)
    expect(await cli.run(...argv)).toMatchObject({
      status: 6,
      stdout: '',
      stderr: expect.stringContaining('cannot be reached'),
    })
  })

  test('does not use the cache when the service rejects the request', async () => {
    const { proxy, cli } = await setUpWorkspace()
    await cli.run(...argv)
    proxy.fault = () => ({ status: 401, headers: {}, body: '' })
    expect(await cli.run(...argv)).toMatchObject({ status: 4, stdout: '' })
  })
})

test.each([
  [['projects', '--where', 'name_cont=WEB'], 1],
  [['projects', '--where', 'client_id_eq=1'], 1],
  [['projects', '--where', 'name_cont=%'], 0],
  [['clients', '--where', 'name_eq=Acme'], 1],
  [['tasks', '--where', 'id_gteq=2'], 1],
  [['tasks', '--where', 'active_eq=true'], 2],
  [['tasks', '--where', 'task_id_eq=1'], 1],
  [['assignments', '--where', 'starts_on_gteq=2024-05-01'], 1],
  [['assignments', '--where', 'starts_on_gteq=2024-05-02'], 0],
  [['expenses', 'types', '--where', 'name_cont=trav'], 1],
])('%j finds %i records, with and without the service', async (argv, count) => {
  const { proxy, cli } = await setUpWorkspace()
  const before = await cli.json<unknown[]>(...argv)
  expect(before).toHaveLength(count)
  await cli.run(...argv.slice(0, argv.indexOf('--where')))
  proxy.fault = cut
  expect(await cli.json(...argv)).toEqual(before)
})

describe('a task', () => {
  test('is found in the cache, so that an addition is one request', async () => {
    const { proxy, cli } = await setUpWorkspace()
    await cli.run('tasks')
    takeRequests(proxy)
    expect(await cli.run('add', 'design', '--from', '9:00', '--for', '1h')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('Added Website / Design'),
    })
    expect(takeRequests(proxy)).toEqual(['POST /timesheets'])
  })

  test('is found when another client has just added it, and an unknown one is an error', async () => {
    const { service, proxy, cli } = await setUpWorkspace()
    await cli.run('tasks')
    await administration.addLink(service.storage, { project: 'Website', task: 'Tests' })
    expect(await cli.run('add', 'tests', '--from', '9:00', '--for', '1h')).toMatchObject({ status: 0 })
    takeRequests(proxy)
    expect(await cli.run('add', 'desing', '--from', '9:00', '--for', '1h')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Did you mean Design'),
    })
    expect(takeRequests(proxy)).not.toContain('POST /timesheets')
  })

  test('given by name exits 6 without cached reference data', async () => {
    const { proxy, cli } = await setUpWorkspace()
    proxy.fault = cut
    expect(await cli.run('add', 'design', '--from', '9:00', '--for', '1h')).toMatchObject({ status: 6 })
  })
})
