import { preparedCli } from '../support/prepared-cli.js'
import type { TestCli } from '../support/test-cli.js'

/** Creates a `TestCli` with entries on Monday and Tuesday; its clock is Wednesday noon. */
export async function createReportCli(): Promise<TestCli> {
  const cli = await createWeekCli()
  cli.env.LC_ALL = 'C.UTF-8'
  return cli
}

const createWeekCli = preparedCli('2024-05-08T12:00:00', async (cli) => {
  const add = (task: string, from: string, length: string, ...options: string[]) =>
    cli.json('add', task, '--from', from, '--for', length, ...options)
  await add('Acme/Website/Design', '2024-05-06 09:00', '1h30m', '-n', '<b>first</b> page')
  await add('Acme/Website/Review', '2024-05-06 10:00', '20m')
  await add('Internal/Meetings', '2024-05-06 23:30', '1h')
  await add('Acme/Shop/Design', '2024-05-07 10:00', '12h', '-n', 'first page')
})

export async function changeSettings(cli: TestCli, settings: Record<string, string>) {
  for (const [name, value] of Object.entries(settings)) await cli.json('config', 'set', name, value)
}

/** Returns the HTML report. */
export async function reportPage(cli: TestCli, ...options: string[]): Promise<string> {
  const { stdout, stderr } = await cli.run('report', '--html', ...options)
  if (stdout === '') throw new Error(stderr)
  return stdout
}

/** Returns the cells of the rows of an HTML table. */
export const cellsOf = (table: string): string[][] =>
  [...table.matchAll(/<tr\b[\s\S]*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<t[hd]\b[^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = '']) =>
      cell.replaceAll('<br>', ', ').replace(/<[^>]*>/g, ''),
    ),
  )

export const runReport = (cli: TestCli, ...options: string[]) => cli.json<Row>('report', ...options)
export type Row = Record<string, unknown>
