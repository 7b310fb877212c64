import { expect, test } from 'vitest'
import * as administration from '../../src/service/admin/administration.js'
import { dropRequest, respondToAll } from '../support/proxy.js'
import { email } from './login-fixtures.js'
import { issueToken, preparedService, type ServiceSetup } from './service-fixtures.js'

const webPage = respondToAll(200, '<html>Hotel Wi-Fi</html>')
const overloaded = respondToAll(503)

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

/** Runs every list, and returns its JSON. */
async function runLists({ cli }: ServiceSetup) {
  const printed = new Map<string[], string>()
  for (const argv of listing) {
    const { status, stdout, stderr } = await cli.run(...argv, '--json')
    expect({ argv, status, stderr }).toEqual({ argv, status: 0, stderr: '' })
    printed.set(argv, stdout)
  }
  return printed
}

test('lists show their last output with the age while the service cannot be reached', {
  tags: 'slow',
}, async () => {
  const setup = await setUpWorkspace()
  const { proxy, cli } = setup
  await cli.run('add', 'design', '--from', '11:00', '--for', '30m')
  const before = await runLists(setup)
  cli.setTime('2024-05-08T12:06:00Z')
  for (const [argv, stdout] of before) {
    // The reason does not depend on the list; the company is one record.
    for (const fault of ['projects', 'company'].includes(String(argv))
      ? [webPage, overloaded, dropRequest]
      : [dropRequest]) {
      proxy.fault = fault
      const now = await cli.run(...argv, '--json')
      expect({ argv, ...now }).toMatchObject({ argv, status: 0, stdout })
      expect(now.stderr).toMatch(/^The service .*Showing cached data of \d\d:00, 6 minutes ago\.\n$/)
    }
    expect(await cli.run(...argv, '--json', '--quiet')).toMatchObject({ stdout, stderr: '' })
  }
})

test('lists exit 6 when nothing was fetched, or only by another account', async () => {
  const setup = await setUpWorkspace()
  const { cli, proxy, storage } = setup
  await runLists(setup)
  proxy.fault = dropRequest
  cli.env.TT_TOKEN = await issueToken(storage)
  for (const argv of listing)
    expect({ argv, ...(await cli.run(...argv)) }).toMatchObject({
      argv,
      status: 6,
      stdout: '',
      stderr: expect.stringContaining('cannot be reached'),
    })
})

test('conditions find the same records with and without the service', { tags: 'slow' }, async () => {
  const setup = await setUpWorkspace()
  const { proxy, cli } = setup
  await runLists(setup)
  const conditions = {
    'projects --where name_cont=WEB': 1,
    'projects --where client_id_eq=1': 1,
    'projects --where name_cont=%': 0,
    'clients --where name_eq=Acme': 1,
    'clients --where name_eq=acme': 0,
    'tasks --where id_gteq=3': 1,
    'tasks --where project_id_eq=1 --where id_gteq=2': 1,
    'tasks --where active_eq=true': 3,
    'tasks --where task_id_eq=1': 1,
    'assignments --where starts_on_gteq=2024-05-01': 1,
    'assignments --where starts_on_gteq=2024-05-02': 0,
    'expenses types --where name_cont=trav': 1,
  }
  const found: Record<string, unknown[]> = {}
  for (const [line, count] of Object.entries(conditions)) {
    found[line] = await cli.json<unknown[]>(...line.split(' '))
    expect({ line, count: found[line].length }).toEqual({ line, count })
  }
  proxy.fault = dropRequest
  for (const line of Object.keys(conditions)) expect(await cli.json(...line.split(' '))).toEqual(found[line])
})

test.each([
  ['projects --where name_eq=Shop', [{ name: 'Shop', client: 'Globex' }]],
  ['assignments', [{ project: 'App' }, { project: 'Shop' }]],
])('tt %s names records that another client has just added', async (line, rows) => {
  const { cli, storage } = await setUpWorkspace()
  await cli.json('projects')
  await administration.addLink(storage, { client: 'Globex', project: 'Shop', task: 'Design' })
  await administration.assign(storage, { email, project: 'Shop', startsOn: '2024-05-01' })
  expect(await cli.json(...line.split(' '))).toMatchObject(rows)
})
