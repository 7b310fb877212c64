import { expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { rejection } from '../support/rejection.js'

const createTeamCli = preparedCli('2024-05-03T18:00:00', async (cli) => {
  for (const name of ['Website', 'Shop']) await cli.json('admin', 'projects', 'add', `Acme/${name}`)
  await cli.json('admin', 'user', 'add', 'ada@example.com')
})

test('assign, assignments and unassign change and list the projects of a user', async () => {
  const cli = await createTeamCli()
  const assign = ['admin', 'assign', 'ada@example.com', 'Acme/Website', 'Shop', '--from']
  expect(await cli.run(...assign, 'may')).toMatchObject(rejection(2, 'more than one day'))
  expect((await cli.run(...assign, '2024-05-01')).stderr).toContain(
    'Assigned ada@example.com to Acme/Website, Acme/Shop.',
  )
  expect(await cli.run(...assign, '2024-05-01')).toMatchObject(rejection(2, 'already'))
  expect(await cli.json('admin', 'assignments', 'ada@example.com')).toMatchObject([
    { user: 'ada@example.com', client: 'Acme', project: 'Shop', starts_on: '2024-05-01', ends_on: null },
    { user: 'ada@example.com', client: 'Acme', project: 'Website' },
  ])
  const ended = await cli.run('admin', 'unassign', 'ada@example.com', 'Shop', '--until', 'yesterday')
  expect(ended.stderr).toContain('end on 2024-05-02. Their entries remain.')
  const assignments = [
    { project: 'Shop', ends_on: '2024-05-02' },
    { project: 'Website', ends_on: null },
  ]
  expect(await cli.json('admin', 'assignments')).toMatchObject(assignments)
  await cli.json('admin', 'assign', 'ada@example.com', 'Shop', '--from', '2024-06-01')
  await cli.json('admin', 'unassign', 'ada@example.com', 'Shop')
  expect(await cli.json('admin', 'assignments')).toMatchObject(assignments)
  expect(await cli.run('admin', 'unassign', 'ada@example.com', 'Shop')).toMatchObject(
    rejection(2, 'is not assigned to Acme/Shop after 2024-05-03'),
  )
})

test('company --visibility warns about users without assignments', async () => {
  const cli = await createTeamCli()
  const limited = await cli.run('admin', 'company', '--visibility', 'assigned', '--json')
  expect(limited.json()).toMatchObject({ visibility: 'assigned' })
  expect(limited.stderr).toContain('2 users have no assignment and can track no time.')
  expect(await cli.run('admin', 'company', '--visibility', 'all')).toMatchObject(
    rejection(2, '--visibility: "all" is not one of open and assigned.'),
  )
})

test('the owner of a local workspace sees and tracks everything', async () => {
  const cli = await createTeamCli()
  await cli.run('admin', 'company', '--visibility', 'assigned')
  expect(await cli.run('start', 'Acme/Website/Design')).toMatchObject({ status: 0 })
  expect(await cli.run('add', 'New/Task', '--from', '9:00', '--for', '1h')).toMatchObject({ status: 0 })
  expect(await cli.json('projects')).toHaveLength(3)
})
