import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { commandsOf, type Database, replaceAll, walkThrough } from '../support/hosting-page.js'
import { startNpmRegistry } from '../support/npm-registry.js'
import { isListening } from '../support/ports.js'
import { findPostgresPrograms, startPostgres } from '../support/postgres.js'
import { cleanEnvironment, isInstalled, temporaryDirectory, waitForExit } from '../support/process.js'
import { missingSecretServiceReason, startSecretService } from '../support/secret-service.js'
import { share } from '../support/share.js'
import { authorize } from '../support/sign-in.js'

/** Where npm installs tt: once, with the command of the page. */
const prefix = mkdtempSync(join(tmpdir(), 'tt-npm-'))
const hasTt = () => existsSync(join(prefix, 'bin', 'tt'))
afterAll(() => rmSync(prefix, { recursive: true, force: true }))

test.for(share('databases of the walk-through', ['SQLite', 'PostgreSQL'] as const))(
  'the commands of the hosting page lead to an entry of a signed-in user over %s',
  async (database, { skip }) => {
    const missing = ['curl', 'jq', 'openssl'].find((program) => !isInstalled(program))
    skip(missing !== undefined, `${missing} is not installed`)
    skip(missingSecretServiceReason() !== undefined, missingSecretServiceReason())
    skip(
      database === 'PostgreSQL' && findPostgresPrograms() === undefined,
      'no PostgreSQL server is installed',
    )
    skip(await isListening(new URL('http://127.0.0.1:8320')), 'another program listens on port 8320')
    const home = temporaryDirectory()
    const env = {
      ...(await startSecretService(home)).env,
      ...(await installation(home)),
      ...(await server(database)),
    }
    writeFileSync(
      join(home, 'browser'),
      `#!/bin/sh\nprintf %s "$1" > ${home}/new\nmv ${home}/new ${home}/address\n`,
      { mode: 0o755 },
    )
    // The service would outlive the shell.
    const trap = "trap 'kill $(jobs -p)' EXIT"
    const commands = walkThrough(database)
    const script = [
      trap,
      hasTt() ? replaceAll(commands, { 'npm install --global tt-time-tracker\n': '' }) : commands,
      'tt log --json > log.json',
      'tt whoami --json > whoami.json',
      ...backUpAndRestore(database),
    ].join('\n')
    writeFileSync(join(home, 'script'), script)
    const shell = spawn('bash', ['-e', '-u', '-o', 'pipefail', join(home, 'script')], {
      env: { ...env, BROWSER: join(home, 'browser') },
      cwd: home,
      detached: true, // The service is in the process group of the shell, and stops with it.
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => stopGroup(shell.pid))
    const exit = waitForExit(shell).finally(() => stopGroup(shell.pid))
    const hasExited = exit.then(() => true)

    const address = vi.waitFor(() => readFileSync(join(home, 'address'), 'utf8'), {
      timeout: 120_000,
      interval: 50,
    })
    const signIn = address.then(async (url) => {
      const password = readFileSync(join(home, 'tt-service', 'password.txt'), 'utf8').trim()
      await fetch(await authorize(url, { email: 'ada@example.com', password }))
    })
    await Promise.race([signIn, hasExited])
    const outcome = await exit
    expect(outcome, outcome.stderr).toMatchObject({ status: 0 })

    const read = (file: string) => JSON.parse(readFileSync(join(home, 'tt-service', file), 'utf8'))
    expect(read('log.json')).toMatchObject([
      {
        client: 'Acme',
        project: 'Website',
        task: 'Design',
        notes: 'first page',
        running: false,
        pending: false,
      },
    ])
    expect(read('whoami.json')).toMatchObject({ company: 'Acme Ltd' })
    expect(existsSync(join(home, 'tt-service', 'team.db'))).toBe(database === 'SQLite')
    expect(read('restored.json')).toEqual(read('log.json'))
  },
)

/** Returns the commands of the page that back up the database and restore it after another change. */
function backUpAndRestore(database: Database): string[] {
  const commands = commandsOf('Backup and restore', (part) => part.startsWith(database)).split(
    /^(?=cp|createdb)/m,
  )
  const [backUp = '', restore = ''] = commands
  expect(restore).not.toBe('')
  return [
    backUp,
    'tt start Acme/Website/Design --notes "after the backup"',
    'tt stop',
    'kill %1 && wait',
    restore,
    'tt serve 2> serve.log &',
    'curl --silent --fail --retry 30 --retry-delay 1 --retry-connrefused http://localhost:8320/readyz',
    'tt log --json > restored.json',
  ]
}

/** Returns the variables with which npm has installed tt, or installs it from a registry of the test. */
async function installation(home: string): Promise<Record<string, string>> {
  const PATH = `${prefix}/bin:${cleanEnvironment().PATH}`
  if (hasTt()) return { PATH }
  return {
    PATH,
    npm_config_registry: await startNpmRegistry(
      ['tt-time-tracker', 'libsql', 'keytar'],
      temporaryDirectory(),
    ),
    npm_config_prefix: prefix,
    npm_config_cache: join(home, 'npm-cache'),
    npm_config_update_notifier: 'false',
  }
}

/** Returns the variables of libpq for a new server. */
async function server(database: Database): Promise<Record<string, string>> {
  if (database === 'SQLite') return {}
  const { hostname, port, username } = new URL(await startPostgres())
  return { PGHOST: hostname, PGPORT: port, PGUSER: decodeURIComponent(username) }
}

function stopGroup(pid: number | undefined) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM')
  } catch {
    // All its processes have ended.
  }
}
