import type { ServiceRow } from './model.js'
import { type ServeProcess, startServeProcess } from './process.js'
import { sendRequest } from './proxy.js'
import { createTestCli, type TestCli } from './test-cli.js'

/** A running `tt serve` over SQLite with several users. */
export interface Team {
  serveProcess: ServeProcess
  /** The directory of its database. */
  home: string
  /** One bearer token per user. */
  tokens: string[]
  /** IDs of the task links, by task. */
  links: Readonly<Record<'design' | 'review', number>>
}

/** Starts a service with this number of users, two tasks and an expense type. It stops with the test. */
export async function startTeam(users: number): Promise<Team> {
  const cli = createTestCli()
  await createSampleRecords(cli)
  const links = await readTaskLinks(cli)
  const tokens: string[] = []
  for (let user = 1; user <= users; user++) {
    const { token } = await cli.json<{ token: string }>('admin', 'user', 'add', `user${user}@example.com`)
    tokens.push(token)
  }
  return { serveProcess: await startServeProcess(cli.home), home: cli.home, tokens, links }
}

/** Creates two tasks and an expense type in the local workspace. */
export async function createSampleRecords({ json }: TestCli): Promise<void> {
  await json('admin', 'projects', 'add', 'Website')
  for (const task of ['Design', 'Review']) await json('admin', 'tasks', 'add', `Website/${task}`)
  await json('admin', 'expense-types', 'add', 'Travel')
}

/** Returns the task links that `createSampleRecords` created. */
export async function readTaskLinks({ json }: TestCli): Promise<Team['links']> {
  const [design, review] = await json<{ id: number }[]>('tasks')
  if (!design || !review) throw new Error('There are no links.')
  return { design: design.id, review: review.id }
}

/** Reads all entries and expenses of a user directly from the service. */
export async function readServiceRows(
  url: string,
  token: string,
): Promise<{ entry: ServiceRow[]; expense: ServiceRow[] }> {
  return {
    entry: await readServiceList(url, token, 'timesheets'),
    expense: await readServiceList(url, token, 'expenses'),
  }
}

/** Reads all records of a kind directly from the service. */
export async function readServiceList(
  url: string,
  token: string,
  path: 'timesheets' | 'expenses',
): Promise<ServiceRow[]> {
  const { status, body } = await sendRequest(new URL(url), {
    method: 'GET',
    path: `/api/v1/${path}`,
    headers: { authorization: `Bearer ${token}` },
    body: '',
  })
  if (status !== 200) throw new Error(`GET ${path}: status ${status}`)
  return JSON.parse(body) as ServiceRow[]
}

/** Reads all entries and expenses of the local workspace. */
export async function readLocalRows({
  json,
}: TestCli): Promise<{ entry: ServiceRow[]; expense: ServiceRow[] }> {
  const read = (path: string) => json<ServiceRow[]>('api', 'GET', path, '--profile', 'local')
  return { entry: await read('/timesheets'), expense: await read('/expenses') }
}
