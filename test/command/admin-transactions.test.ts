// @module-tag slow

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commands } from '../../src/program/declarations/admin.js'
import { readRows, runSql } from '../support/database-files.js'
import { preparedCli } from '../support/prepared-cli.js'
import type { TestCli } from '../support/test-cli.js'
import { email, password } from './login-fixtures.js'

/** The commands that change the database, with arguments that fit the database of `createTeam`. */
const changes: Readonly<Record<string, readonly string[]>> = {
  'user add': ['bob@example.com'],
  'user password': [email, '--password-stdin'],
  'user token': [email],
  'user deactivate': [email],
  'user activate': ['carol@example.com'],
  'user revoke': [email, '--yes'],
  'user unlink': [email],
  'user rm': [email, '--yes'],
  'import-users': ['USERS'],
  'token revoke': ['t1', '--yes'],
  'app add': ['Dashboard', '--redirect-uri', 'https://dashboard.example.com/callback'],
  'app rm': ['CLIENT', '--yes'],
  'projects add': ['Acme/Shop'],
  'projects rename': ['Website', 'Site'],
  'projects merge': ['Old', 'Website'],
  'projects archive': ['Website'],
  'projects restore': ['Old'],
  'projects rm': ['Old'],
  'clients add': ['Northwind'],
  'clients rename': ['Acme', 'Apex'],
  'clients merge': ['Unused', 'Acme'],
  'clients archive': ['Acme'],
  'clients restore': ['Unused'],
  'clients rm': ['Unused'],
  'tasks add': ['Acme/Website/Design'],
  'tasks rename': ['Internal/Support', 'Help'],
  'tasks merge': ['Internal/Support', 'Internal/Calls'],
  'tasks archive': ['Internal/Support'],
  'tasks restore': ['Internal/Calls'],
  'tasks rm': ['Internal/Calls'],
  'expense-types add': ['Meals'],
  'expense-types rename': ['Travel', 'Trips'],
  'expense-types archive': ['Travel'],
  assign: [email, 'Website', '--from', '2024-05-01'],
  unassign: [email, 'Internal'],
  company: ['--currency', 'CHF', '--visibility', 'assigned'],
  seed: ['--entries', '20'],
}

/** The commands that only show records; the audit log does not contain them. */
const readers = ['user list', 'user sessions', 'token list', 'app list', 'projects list', 'tasks list']
readers.push('clients list', 'expense-types list', 'assignments', 'audit', 'report')

/** Returns the names of all commands of a group, such as "user add". */
function commandNames(group: object, prefix = ''): string[] {
  return Object.entries(group).flatMap(([name, command]: [string, { commands?: object }]) =>
    command.commands ? commandNames(command.commands, `${prefix}${name} `) : [`${prefix}${name}`],
  )
}

/** Runs an admin command on the database of a team. */
const runAdmin = (cli: TestCli, ...argv: string[]) =>
  cli.runWithInput(`${password}\n`, 'admin', ...argv, '--json', '--database', `sqlite:${pathOf(cli)}`)
const pathOf = (cli: TestCli) => join(cli.home, 'team.db')

const createPreparedCli = preparedCli('2024-05-03T18:00:00', async (cli) => {
  for (const line of [
    ...[`user add ${email}`, 'user add carol@example.com', 'user deactivate carol@example.com'],
    ...['projects add Old', 'projects archive Old', 'projects add Acme/Website', 'projects add Internal'],
    ...['tasks add Internal/Support', 'tasks add Internal/Calls', 'tasks archive Internal/Calls'],
    ...['clients add Unused', 'clients archive Unused', `assign ${email} Internal`],
    ...['expense-types add Travel', 'app add tt --redirect-uri http://127.0.0.1/callback'],
  ])
    expect(await runAdmin(cli, ...line.split(' '))).toMatchObject({ status: 0 })
  const identity = "INSERT INTO identities VALUES ('https://login.example.com', 'account-1', 1, 0)"
  await runSql(pathOf(cli), identity)
  writeFileSync(join(cli.home, 'users.csv'), 'email,projects\nbob@example.com,Website\n')
})

/** Creates a `TestCli` with the database of a team, and runs admin commands on it. */
async function createTeam() {
  const cli = await createPreparedCli()
  const [app] = (await runAdmin(cli, 'app', 'list')).json() as { client_id: string }[]
  const values: Readonly<Record<string, string | undefined>> = {
    ...{ CLIENT: app?.client_id, USERS: join(cli.home, 'users.csv') },
  }
  const withValues = (argv: readonly string[]) => argv.map((word) => values[word] ?? word)
  return {
    ...{ ...cli, path: pathOf(cli) },
    admin: (name: string, argv: readonly string[]) => runAdmin(cli, ...name.split(' '), ...withValues(argv)),
  }
}

const tableNames = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"

/** Returns all rows of a database. */
async function contentsOf(path: string): Promise<Record<string, unknown[]>> {
  const tables = await readRows<{ name: string }>(path, tableNames)
  const rows = tables.map(async ({ name }) => [name, await readRows(path, `SELECT * FROM "${name}"`)])
  return Object.fromEntries(await Promise.all(rows))
}

test('every admin command is recorded or only shows records', () => {
  const names = commandNames(commands.admin.commands)
  expect(names.toSorted()).toEqual([...Object.keys(changes), ...readers, 'backup', 'openapi'].toSorted())
})

describe('an admin command and its record in the audit log are written together:', () => {
  test.each(Object.entries(changes))('%s', async (name, argv) => {
    const cli = await createTeam()
    await runSql(
      cli.path,
      `CREATE TRIGGER fail BEFORE INSERT ON audit_log BEGIN SELECT raise(abort, 'no record'); END`,
    )
    const before = await contentsOf(cli.path)
    expect(await cli.admin(name, argv)).toMatchObject({ status: 1, stdout: '' })
    expect(await contentsOf(cli.path)).toEqual(before)
    await runSql(cli.path, 'DROP TRIGGER fail')
    expect(await cli.admin(name, argv)).toMatchObject({ status: 0 })
    const { audit_log: log = [], ...after } = await contentsOf(cli.path)
    expect(log.at(-1)).toMatchObject({ details: expect.stringMatching(new RegExp(`^${name}\\b`)) })
    expect(log).toHaveLength((before.audit_log?.length ?? 0) + 1)
    expect({ ...after, audit_log: before.audit_log }).not.toEqual(before)
  })

  test.each(readers)('%s is not recorded', async (name) => {
    const cli = await createTeam()
    const before = await contentsOf(cli.path)
    const argv = name === 'user sessions' ? [email] : []
    expect(await cli.admin(name, argv)).toMatchObject({ status: 0 })
    expect(await contentsOf(cli.path)).toEqual(before)
  })
})
