import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createSharedDatabase, findPostgresPrograms } from './postgres.js'
import { preparedCli } from './prepared-cli.js'
import { createTestCli, type TestCli } from './test-cli.js'

/**
 * Returns functions that create a `TestCli` whose service database `prepare` has filled, and all of them with the name of
 * the database, as rows of a table: without PostgreSQL if it is not installed.
 */
export function preparedTeam(time: string, prepare: (cli: TestCli) => Promise<unknown>) {
  const useSqlite = (cli: TestCli) => {
    cli.env.TT_DATABASE = `sqlite:${join(cli.home, 'team.db')}`
    return cli
  }
  const createPrepared = preparedCli(time, (cli) => prepare(useSqlite(cli)))
  const sqliteTeam = async () => useSqlite(await createPrepared())
  const postgresTeam = async () => {
    const cli = createTestCli(time)
    const { url, drop } = await createSharedDatabase()
    onTestFinished(drop)
    cli.env.TT_DATABASE = url
    await prepare(cli)
    return cli
  }
  const teams = [['SQLite', sqliteTeam] as const]
  const allTeams = findPostgresPrograms() ? [...teams, ['PostgreSQL', postgresTeam] as const] : teams
  return { sqliteTeam, postgresTeam, allTeams }
}
