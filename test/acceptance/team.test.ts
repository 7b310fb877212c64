import { get } from 'node:http'
import { expect, test } from 'vitest'
import { splitCommandLine } from '../support/examples.js'
import { findPostgresPrograms, startPostgres } from '../support/postgres.js'
import { hasSignals, startServeProcess, temporaryDirectory, tt } from '../support/process.js'

/** The commands of a day. Its entries must not depend on the storage. */
const day = [
  'add Acme/Website/Design --from "2024-05-01 08:30" --to "2024-05-01 09:45" -n "first page"',
  'add website/review --from "2024-05-01 09:45" --for 45m --external-id TICKET-7',
  `add Acme/Website/Design --from "2024-05-01 10:30" --for 1h30m -n 'grüße, "quotes" & 100% 🎉'`,
  'edit @1 --notes "second page"',
  'edit @2 --for 30m',
  'add support --from "2024-05-01 13:00" --to "2024-05-01 14:00"',
  'add support --from "2024-05-01 14:00" --to "2024-05-01 14:10"',
  'rm @1 --yes',
  'start support --at "2024-05-01 15:00" -n phone',
  'start design --at "2024-05-01 15:20"',
  'stop --at "2024-05-01 17:00" -n "third page"',
  'continue --at "2024-05-01 17:30"',
  'cancel --yes',
].map(splitCommandLine)

const tasks: [name: string, project: string][] = [
  ['Design', 'Acme/Website'],
  ['Review', 'Acme/Website'],
  ['Support', 'Internal'],
]

async function prepare(home: string, ...database: string[]) {
  await succeed(home, ['admin', 'projects', 'add', 'Acme/Website', ...database])
  await succeed(home, ['admin', 'projects', 'add', 'Internal', ...database])
  for (const [name, project] of tasks) {
    await succeed(home, ['admin', 'tasks', 'add', `${project}/${name}`, ...database])
  }
}

async function succeed(home: string, argv: string[], env: Record<string, string> = {}) {
  const outcome = await tt(home, argv, env)
  expect({ argv, status: outcome.status, stderr: outcome.status === 0 ? '' : outcome.stderr }).toEqual({
    argv,
    status: 0,
    stderr: '',
  })
  return outcome
}

async function runDay(home: string, env: Record<string, string> = {}) {
  for (const argv of day) await succeed(home, argv, env)
  const output = async (command: string) => {
    const argv = [command, '--since', '2024-05-01', '--until', '2024-05-01', '--json']
    return JSON.parse((await succeed(home, argv, env)).stdout)
  }
  expect(await output('report')).toMatchObject({
    seconds: 22_500,
    groups: [
      { key: 'Website', seconds: 17_700 },
      { key: 'Internal', seconds: 4800 },
    ],
  })
  return ((await output('log')) as Record<string, unknown>[]).map((entry) => {
    const ids = Object.keys(entry).filter((key) => key === 'id' || key.endsWith('_id'))
    for (const key of [...ids.filter((key) => key !== 'external_id'), 'created_at', 'updated_at', 'etag'])
      delete entry[key]
    return entry
  })
}

let localDay: ReturnType<typeof runDay> | undefined

async function runLocalDay() {
  const home = temporaryDirectory()
  await prepare(home)
  return runDay(home)
}

test.for(['SQLite', 'PostgreSQL'])(
  'a working day is the same through tt serve over %s and in the local workspace',
  async (kind, { skip }) => {
    skip(kind === 'PostgreSQL' && findPostgresPrograms() === undefined, 'no PostgreSQL server is installed')
    const [serverHome, clientHome] = [temporaryDirectory(), temporaryDirectory()]
    const database = kind === 'SQLite' ? `sqlite:${serverHome}/team.db` : await startPostgres()
    await prepare(serverHome, '--database', database)
    const add = ['admin', 'user', 'add', 'ada@example.com', '--database', database, '--json']
    const added = await succeed(serverHome, add)
    const { token } = JSON.parse(added.stdout)
    const { url, child, exit } = await startServeProcess(serverHome, '--database', database)

    const throughSocket = await runDay(clientHome, { TT_BASE_URL: url, TT_TOKEN: token })
    localDay ??= runLocalDay()
    expect(throughSocket).toEqual(await localDay)
    expect(throughSocket.map(({ task, duration_seconds, notes }) => [task, duration_seconds, notes])).toEqual(
      [
        ['Design', 4500, 'first page'],
        ['Review', 1800, null],
        ['Design', 5400, 'second page'],
        ['Support', 3600, null],
        ['Support', 1200, 'phone'],
        ['Design', 6000, 'third page'],
      ],
    )

    child.kill('SIGTERM')
    expect(await exit).toMatchObject(hasSignals ? { status: 0, signal: null } : { signal: 'SIGTERM' })
  },
)

test.runIf(hasSignals)('SIGTERM lets a request in flight finish', async () => {
  const serverHome = temporaryDirectory()
  await succeed(serverHome, ['admin', 'seed', '--entries', '20000', '--user', 'you@localhost'])
  const issued = await succeed(serverHome, ['admin', 'user', 'token', 'you@localhost', '--json'])
  const { token } = JSON.parse(issued.stdout)
  const { url, child, exit } = await startServeProcess(serverHome)

  const body = await new Promise<string>((resolve, reject) => {
    get(`${url}/timesheets`, { headers: { authorization: `Bearer ${token}` } }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.once('data', () => child.kill('SIGTERM'))
      response.on('data', (part) => {
        text += part
      })
      response.on('end', () => resolve(text))
    }).on('error', reject)
  })
  expect(JSON.parse(body)).toHaveLength(20_000)
  expect(await exit).toMatchObject({ status: 0 })
})
