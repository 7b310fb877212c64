// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { GroupJson, ReportJson } from '../../src/records/shapes/reports.js'
import { insertInto, sql } from '../../src/service/storage/sql.js'
import { openStorage } from '../../src/service/storage/storage.js'
import { preparedTeam } from '../support/prepared-team.js'
import { rejection } from '../support/rejection.js'
import type { TestCli } from '../support/test-cli.js'
import { changeSettings, createReportCli } from './report-fixtures.js'

/** What depends on the working days and targets of one user. */
const ofOneUser = ['working_days', 'average_seconds', 'target_seconds', 'target_since', 'balance_seconds']

const forTeam = (report: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(report).filter(([name]) => !ofOneUser.includes(name)))

test.each([
  ['week'],
  ['--by', 'day,project'],
  ['--by', 'month,client,task,notes', '--round', '15m:up'],
  ['--by', 'tag,project', '--round-total', '1h'],
  ['--since', '2024-05-06', '--until', '2024-05-06', '--by', 'project'],
  ['--since', '2024-05-07', '--client', 'acme', '--by', 'task'],
  ['--notes', 'first', '--by', 'weekday'],
  ['--where', 'notes_cont=first', '--by', 'project'],
  ['--not-billable', '--by', 'project'],
  ['--by', 'project,day', '--grid'],
  ['week', '--compare', 'last-week', '--by', 'project'],
  ['--hours', 'decimal', '--by', 'project'],
  ['--running', '--by', 'project'],
])('a report of one user is the same as tt report: %s %s %s %s %s %s %s', async (...words) => {
  const options = words.filter((word) => word !== undefined)
  const cli = await createReportCli()
  await changeSettings(cli, { 'rate.Acme': '100.10 EUR', 'rate.*/Internal': '90 CHF', billable: 'Acme' })
  const by = options.includes('--by') ? [] : ['--by', 'project']
  const own = await cli.json('report', ...options)
  const team = await cli.json('admin', 'report', ...options, ...by)
  expect(forTeam(team)).toEqual(forTeam(own))
  const csv = await cli.run('report', ...options, '--csv')
  expect((await cli.run('admin', 'report', ...options, ...by, '--csv')).stdout).toBe(csv.stdout)
})

const entries = [
  ['ada@example.com', 'Website', '2024-05-06T09:00:00Z', '2024-05-06T10:30:00Z'],
  ['ada@example.com', 'Shop', '2024-05-07T09:00:00Z', '2024-05-07T10:00:00Z'],
  ['bob@example.com', 'Website', '2024-05-06T09:00:00Z', '2024-05-06T13:00:00Z'],
  ['eve@example.org', 'Website', '2024-05-06T10:00:00Z', '2024-05-06T10:20:00Z'],
] as const

/** Stores the entries of three users, of whom Ada and Eve have the same name. */
const { sqliteTeam, allTeams } = preparedTeam('2024-05-08T12:00:00', async (cli) => {
  for (const [email, name] of [
    ['ada@example.com', 'Ada'],
    ['bob@example.com', 'Bob'],
    ['eve@example.org', 'Ada'],
  ] as const)
    await cli.json('admin', 'user', 'add', email, '--name', name, '--without-token')
  await cli.json('admin', 'company', '--time-zone', Intl.DateTimeFormat().resolvedOptions().timeZone)
  for (const project of ['Website', 'Shop']) {
    await cli.json('admin', 'projects', 'add', `Acme/${project}`)
    await cli.json('admin', 'tasks', 'add', `Acme/${project}/Design`)
  }
  const storage = await openStorage(cli.env.TT_DATABASE ?? '')
  const users = await storage.queries.all<{ id: number; email: string }>(sql`select id, email from users`)
  for (const [email, project, from, to] of entries) {
    const [link] = await storage.queries.all<{ id: number }>(sql`
      select task_links.id from task_links inner join projects on projects.id = task_links.project_id
      where projects.name = ${project}`)
    const values = { task_link_id: link?.id, notes: null, external_id: null, created_at: 0, updated_at: 0 }
    const times = { time_start: Date.parse(from), time_end: Date.parse(to) }
    const user = users.find((user) => user.email === email)
    await storage.queries.all(insertInto('time_entries', { user_id: user?.id ?? 0, ...values, ...times }))
  }
  await storage.close()
})

describe.each(allTeams)('a report of several users over %s', (_, createTeam) => {
  const report = (cli: TestCli, ...options: string[]) => cli.json<ReportJson>('admin', 'report', ...options)
  const sums = (groups: readonly GroupJson[]): unknown[] =>
    groups.map(({ key, seconds, groups }) => [key, seconds, ...(groups.length > 0 ? [sums(groups)] : [])])

  test('groups by user and project, and by project and user', async () => {
    const cli = await createTeam()
    const byUser = await report(cli, 'week')
    expect(byUser).toMatchObject({ by: ['user', 'project'], seconds: 24_600, count: 4 })
    expect(sums(byUser.groups)).toEqual([
      ['Bob', 14_400, [['Website', 14_400]]],
      [
        'Ada',
        9000,
        [
          ['Website', 5400],
          ['Shop', 3600],
        ],
      ],
      ['Ada', 1200, [['Website', 1200]]],
    ])
    expect(byUser.groups[0]).toMatchObject({ by: 'user', id: 2 })
    const byProject = await report(cli, 'week', '--by', 'project,user')
    expect(sums(byProject.groups)[1]).toEqual(['Shop', 3600, [['Ada', 3600]]])
    const rows = await cli.runInTerminal(100, 'admin', 'report', 'week', '--by', 'user')
    expect(rows.stdout).toContain('Ada (eve@example.org)')
    expect(rows.stdout).toContain('Ada (ada@example.com)')
  })

  test('is limited to users by address, name or ID', async () => {
    const cli = await createTeam()
    expect(await report(cli, 'week', '--user', 'ada@EXAMPLE')).toMatchObject({ seconds: 9000 })
    expect(await report(cli, 'week', '--user', '!bob')).toMatchObject({ seconds: 10_200 })
    expect(await report(cli, 'week', '--user', '2', '--user', 'eve@')).toMatchObject({ seconds: 15_600 })
    const unknown = await cli.run('admin', 'report', '--user', 'bobb')
    expect(unknown.stderr).toContain('"bobb" matches no user')
    expect(await cli.run('admin', 'report', '--where', 'color_eq=red')).toMatchObject({ status: 2 })
  })

  test('is a page and a chart', async () => {
    const cli = await createTeam()
    const page = join(cli.home, 'report.html')
    expect(await cli.run('admin', 'report', 'week', '-o', page)).toMatchObject({ status: 0 })
    const text = readFileSync(page, 'utf8')
    expect(text).toContain('<th scope="col" class="user">User</th>')
    expect(text).toContain('<td class="user"><bdi>Bob</bdi></td>')
    const chart = await cli.run('admin', 'report', 'week', '--chart', 'shares')
    expect(chart).toMatchObject({ status: 0, stdout: expect.stringContaining('Bob') })
  })

  test('has the IDs of users in CSV and lines, because their names can be equal', async () => {
    const cli = await createTeam()
    const options = ['admin', 'report', 'week', '--by', 'user']
    const csv = await cli.run(...options, '--csv')
    expect(csv.stdout.split('\r\n')).toEqual([
      ...['user,seconds,count,share,hours,user_id', 'Bob,14400,1,0.5854,4.00,2', 'Ada,9000,2,0.3659,2.50,1'],
      ...['Ada,1200,1,0.0488,0.33,3', ''],
    ])
    const lines = (await cli.run(...options, '--ndjson')).stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).user_id)).toEqual([2, 1, 3])
    const compared = await cli.run(...options, '--compare', 'last-week', '--hours', 'hms', '--csv')
    expect(compared.stdout.split('\r\n').map((line) => line.split(',').at(-1))).toEqual([
      ...['user_id', '2', '1', '3', ''],
    ])
  })

  test('has the time of removed users under another name', async () => {
    const cli = await createTeam()
    await cli.json('admin', 'user', 'rm', 'bob@example.com', '--keep-time', '--yes')
    const { groups } = await report(cli, 'week', '--by', 'user')
    expect(sums(groups)[0]).toEqual(['Removed user 2', 14_400])
  })
})

test('a report warns of days that are not those of the company', async () => {
  const cli = await sqliteTeam()
  await cli.json('admin', 'company', '--time-zone', 'Pacific/Auckland')
  const { stderr } = await cli.run('admin', 'report', 'week')
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain("not of the company's time zone Pacific/Auckland.")
})

test('tt report has no groups by user', async () => {
  const cli = await createReportCli()
  expect(await cli.run('report', '--by', 'user')).toMatchObject(rejection(2, 'Unknown group "user"'))
})
