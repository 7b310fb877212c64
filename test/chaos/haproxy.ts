import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { findFreePort, isListening } from '../support/ports.js'
import { temporaryDirectory } from '../support/process.js'

/**
 * Starts HAProxy, which distributes TCP connections to the servers that pass its checks, and returns its port on
 * 127.0.0.1. It stops with the test.
 *
 * @param lines the configuration of the check and the servers
 */
export async function startHaproxy(lines: string[]): Promise<number> {
  const port = await findFreePort()
  const config = join(temporaryDirectory(), 'haproxy.cfg')
  writeFileSync(
    config,
    `defaults
  mode tcp
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 2s
listen servers
  bind 127.0.0.1:${port}
  default-server inter 300ms fall 2 rise 2 on-marked-down shutdown-sessions
${lines.map((line) => `  ${line}\n`).join('')}`,
  )
  const child = spawn('haproxy', ['-db', '-f', config], { stdio: 'ignore' })
  const exit = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exit
  })
  while (!(await isListening(new URL(`http://127.0.0.1:${port}`)))) {
    if (child.exitCode !== null) throw new Error(`haproxy exited with ${child.exitCode}.`)
    await sleep(20)
  }
  return port
}
