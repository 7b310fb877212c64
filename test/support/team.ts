import type { ServiceRow } from './model.js'
import { type Served, serve } from './process.js'
import { forwarded } from './proxy.js'
import { type Desk, newDesk } from './test-cli.js'

/** A team with a service of its own, `tt serve` over SQLite. */
export interface Team {
  served: Served
  /** Where its database is. */
  home: string
  /** A bearer token for each user. */
  tokens: string[]
  /** Task links by the word that finds them. */
  links: Readonly<Record<'design' | 'review', number>>
}

/** Opens a team with so many users, with two tasks and an expense type; it closes with the test. */
export async function openTeam(users: number): Promise<Team> {
  const office = newDesk()
  await furnish(office)
  const links = await linksOf(office)
  const tokens: string[] = []
  for (let user = 1; user <= users; user++) {
    const { token } = await office.json<{ token: string }>('admin', 'user', 'add', `user${user}@example.com`)
    tokens.push(token)
  }
  return { served: await serve(office.home), home: office.home, tokens, links }
}

/** Makes two tasks and an expense type in the local workspace of a desk. */
export async function furnish({ json }: Desk): Promise<void> {
  await json('admin', 'project', 'add', 'Website')
  for (const task of ['Design', 'Review']) await json('admin', 'task', 'add', task, '--project', 'Website')
  await json('admin', 'expense-type', 'add', 'Travel')
}

/** The task links that `furnish` made. */
export async function linksOf({ json }: Desk): Promise<Team['links']> {
  const [design, review] = await json<{ id: number }[]>('links')
  if (!design || !review) throw new Error('There are no links.')
  return { design: design.id, review: review.id }
}

/** Everything of a user, asked of the service itself. */
export async function rowsAt(
  url: string,
  token: string,
): Promise<{ entry: ServiceRow[]; expense: ServiceRow[] }> {
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await forwarded(new URL(url), {
      method: 'GET',
      path: `/api/v1/${path}`,
      headers,
      body: '',
    })
    if (answer.status !== 200) throw new Error(`The service answered ${answer.status} to ${path}.`)
    return JSON.parse(answer.body) as ServiceRow[]
  }
  return { entry: await read('timesheets'), expense: await read('expenses') }
}

/** Everything that is in the local workspace of a desk. */
export async function rowsIn({ json }: Desk): Promise<{ entry: ServiceRow[]; expense: ServiceRow[] }> {
  const read = (path: string) => json<ServiceRow[]>('api', 'GET', path, '--profile', 'local')
  return { entry: await read('/timesheets'), expense: await read('/expenses') }
}
