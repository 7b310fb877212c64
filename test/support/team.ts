import type { ServiceRow } from './model.js'
import { type ServeProcess, startServeProcess } from './process.js'
import { sendRequest } from './proxy.js'
import { createTestCli, type TestCli } from './test-cli.js'

/** A team with a service of its own, `tt serve` over SQLite. */
export interface Team {
  serveProcess: ServeProcess
  /** Where its database is. */
  home: string
  /** A bearer token for each user. */
  tokens: string[]
  /** Task links by the word that finds them. */
  links: Readonly<Record<'design' | 'review', number>>
}

/** Opens a team with so many users, with two tasks and an expense type; it closes with the test. */
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

/** Makes two tasks and an expense type in the local workspace of a desk. */
export async function createSampleRecords({ json }: TestCli): Promise<void> {
  await json('admin', 'project', 'add', 'Website')
  for (const task of ['Design', 'Review']) await json('admin', 'task', 'add', task, '--project', 'Website')
  await json('admin', 'expense-type', 'add', 'Travel')
}

/** The task links that `furnish` made. */
export async function readTaskLinks({ json }: TestCli): Promise<Team['links']> {
  const [design, review] = await json<{ id: number }[]>('links')
  if (!design || !review) throw new Error('There are no links.')
  return { design: design.id, review: review.id }
}

/** Everything of a user, asked of the service itself. */
export async function readServiceRows(
  url: string,
  token: string,
): Promise<{ entry: ServiceRow[]; expense: ServiceRow[] }> {
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await sendRequest(new URL(url), {
      method: 'GET',
      path: `/api/v1/${path}`,
      headers,
      body: '',
    })
    if (response.status !== 200) throw new Error(`The service answered ${response.status} to ${path}.`)
    return JSON.parse(response.body) as ServiceRow[]
  }
  return { entry: await read('timesheets'), expense: await read('expenses') }
}

/** Everything that is in the local workspace of a desk. */
export async function readLocalRows({
  json,
}: TestCli): Promise<{ entry: ServiceRow[]; expense: ServiceRow[] }> {
  const read = (path: string) => json<ServiceRow[]>('api', 'GET', path, '--profile', 'local')
  return { entry: await read('/timesheets'), expense: await read('/expenses') }
}
