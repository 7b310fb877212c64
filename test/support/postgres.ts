import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryDirectory, waitForExit } from './process.js'

/** Returns the directory of the PostgreSQL server programs, or undefined if none is installed. */
export function findPostgresPrograms(): string | undefined {
  const [newest] = versions().sort((a, b) => Number(b) - Number(a))
  return newest && join(versionsDirectory, newest, 'bin')
}

const versionsDirectory = '/usr/lib/postgresql'

function versions(): string[] {
  try {
    return readdirSync(versionsDirectory)
  } catch {
    return []
  }
}

/** Starts a separate PostgreSQL server on a free loopback port and returns its URL. It stops with the test. */
export async function startPostgres(): Promise<string> {
  const programs = findPostgresPrograms()
  if (programs === undefined) throw new Error('No PostgreSQL server is installed.')
  const directory = temporaryDirectory()
  const port = await findFreePort()
  // PostgreSQL refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : []
  if (asUser.length > 0) {
    chmodSync(directory, 0o755)
    spawnSync('chown', ['postgres', directory])
  }
  const cluster = join(directory, 'cluster')
  const [initdb = '', ...initArguments] = [
    ...asUser,
    join(programs, 'initdb'),
    '--auth=trust',
    '--username=tt',
    '-D',
    cluster,
  ]
  const initialized = spawnSync(initdb, initArguments, { encoding: 'utf8' })
  if (initialized.status !== 0) throw new Error(`initdb: ${initialized.stderr}`)
  const [command = '', ...argv] = [
    ...asUser,
    join(programs, 'postgres'),
    '-D',
    cluster,
    '-h',
    '127.0.0.1',
    '-p',
    String(port),
    '-k',
    directory,
  ]
  const server = spawn(command, argv, { stdio: ['ignore', 'ignore', 'pipe'] })
  const exit = waitForExit(server)
  onTestFinished(async () => {
    server.kill('SIGTERM')
    await exit
  })
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (text: string) => {
      if (text.includes('ready to accept connections')) resolve()
    })
    exit.then(({ stderr }) => reject(new Error(`postgres: ${stderr}`)), reject)
  })
  return `postgres://tt@127.0.0.1:${port}/postgres`
}

/** Returns a free loopback port. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('No port.')),
      )
    })
  })
}
