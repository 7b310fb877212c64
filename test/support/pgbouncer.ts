import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { execute, findFreePort } from './postgres.js'
import { temporaryDirectory } from './process.js'

/**
 * Starts PgBouncer in transaction mode, with its default settings otherwise, in front of the database at `url`. Returns
 * the URL of the database behind it. It stops with the test.
 *
 * @param connections upper bound for connections to the server
 */
export async function startPgBouncer(url: string, { connections }: { connections: number }): Promise<string> {
  const { port, pathname } = new URL(url)
  const [directory, listenPort] = [temporaryDirectory(), await findFreePort()]
  const [config, users] = [join(directory, 'pgbouncer.ini'), join(directory, 'users.txt')]
  writeFileSync(users, '"tt" ""\n')
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${connections}
`,
  )
  // PgBouncer refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    chmodSync(directory, 0o755)
    spawnSync('chown', ['-R', 'postgres', directory])
  }
  const [command = '', ...argv] = [
    ...(isRoot ? ['runuser', '-u', 'postgres', '--'] : []),
    'pgbouncer',
    config,
  ]
  const child = spawn(command, argv, { stdio: 'ignore' })
  const exit = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await exit
  })
  const pooled = `postgres://tt@127.0.0.1:${listenPort}${pathname}`
  for (;;) {
    const isReady = await execute(pooled, 'select 1').then(
      () => true,
      () => false,
    )
    if (isReady) return pooled
    if (child.exitCode !== null) throw new Error(`pgbouncer exited with ${child.exitCode}.`)
    await sleep(20)
  }
}
