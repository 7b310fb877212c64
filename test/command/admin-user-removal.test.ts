import { describe, expect, test } from 'vitest'
import { preparedTeam } from '../support/prepared-team.js'
import type { TestCli } from '../support/test-cli.js'

/** Creates a `TestCli` whose database has Ada with three hours of sample time, and Bob without any. */
const { sqliteTeam } = preparedTeam('2024-05-03T18:00:00', async (cli) => {
  await cli.json('admin', 'user', 'add', 'ada@example.com')
  await cli.json('admin', 'user', 'add', 'bob@example.com')
  await cli.json('admin', 'seed', '--entries', '20', '--user', 'ada@example.com')
})

const emails = async (cli: TestCli) =>
  (await cli.json<{ email: string }[]>('admin', 'user', 'list')).map(({ email }) => email)
const rm = (cli: TestCli, ...argv: string[]) => cli.run('admin', 'user', 'rm', ...argv)

describe('admin user rm', () => {
  test('requires a decision about time, and a confirmation that gives its amount', async () => {
    const cli = await sqliteTeam()
    const undecided = await rm(cli, 'ada@example.com', '--yes')
    expect(undecided).toMatchObject({ status: 2, stdout: '' })
    expect(undecided.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /ada@example.com has 20 entries and \d+ expenses?\. Nothing was removed\. Add --keep-time .* or --delete-time/,
    )
    const unconfirmed = await rm(cli, 'ada@example.com', '--delete-time')
    expect(unconfirmed).toMatchObject({ status: 2, stdout: '' })
    expect(unconfirmed.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /Their 20 entries \(\d+h \d+m\) and \d+ expenses? are deleted, too\. This cannot be undone\./,
    )
    expect(await rm(cli, 'ada@example.com', '--keep-time', '--delete-time')).toMatchObject({ status: 2 })
    expect(await emails(cli)).toEqual(['ada@example.com', 'bob@example.com'])
  })

  test('keeps or deletes the time, and says so', async () => {
    const cli = await sqliteTeam()
    const kept = await rm(cli, 'Ada@example.com', '--keep-time', '--yes')
    expect(kept).toMatchObject({ status: 0, stdout: expect.stringContaining('\tkept\t20\t') })
    expect(kept.stderr).toMatch(
      /^Removed ada@example\.com\. The 20 entries .* stay as those of "Removed user 1"\.\n$/,
    )
    expect(await emails(cli)).toEqual(['removed-user-1', 'bob@example.com'])
    expect(await rm(cli, 'bob@example.com', '--yes')).toMatchObject({
      ...{ status: 0, stderr: 'Removed bob@example.com.\n' },
    })
    const argv = ['removed-user-1', '--delete-time', '--yes', '--json'] as const
    expect((await rm(cli, ...argv)).json()).toMatchObject({ id: 1, records: 'deleted', entries: 20 })
    expect(await emails(cli)).toEqual([])
  })
})
