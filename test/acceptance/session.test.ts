import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Credentials } from '../../src/api-client/auth/credentials/credentials.js'
import { runSql } from '../support/database-files.js'
import {
  bin,
  cleanEnvironment,
  type ProcessResult,
  temporaryDirectory,
  waitForExit,
} from '../support/process.js'
import { noFault, type ServiceProxy, startProxy } from '../support/proxy.js'
import { share } from '../support/share.js'
import {
  authorize,
  expectSuccess,
  startLogin,
  startTestService,
  type TestService,
} from '../support/sign-in.js'

/** Rounds of each expiry, with fifty processes each. One takes about five seconds on two cores. */
const rounds = Number(process.env.TT_SESSION_ROUNDS ?? 2)
const processes = 50

/** A home that is signed in to a service behind a proxy. */
interface Session {
  service: TestService
  home: string
  proxy: ServiceProxy
}

async function signIn(): Promise<Session> {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  // Longer than this process may pause among fifty others, so that no new request is cut.
  const proxy = await startProxy(service.url, { keepAliveMs: 60_000 })
  const login = await startLogin(home, service, {
    url: proxy.url,
    argv: ['--insecure-storage', '--profile', 'acme'],
  })
  await fetch(await authorize(login.address, service))
  await expectSuccess(login.exit)
  return { service, home, proxy }
}

const secretsPath = (home: string) => join(home, 'credentials', 'acme.json')

function readSecrets(home: string): Extract<Credentials, { method: 'oauth' }> {
  const secrets = JSON.parse(readFileSync(secretsPath(home), 'utf8')) as Credentials
  if (secrets.method !== 'oauth') throw new Error('Not signed in with OAuth.')
  return secrets
}

/** Makes the token expire on this machine. */
function expireLocally({ home }: Session) {
  writeFileSync(
    secretsPath(home),
    JSON.stringify({ ...readSecrets(home), expires_at: '2020-01-01T00:00:00Z' }),
  )
}

/** Revokes the token at the service, unknown to this machine. */
async function revokeAtService({ service }: Session) {
  const path = join(service.home, 'workspace.db')
  await runSql(path, 'UPDATE tokens SET revoked_at = 1 WHERE refresh_token_id IS NOT NULL')
}

/** An expiry that is known on this machine, and one that shows in a 401; so many times, in turn. */
const expiries = (count: number) =>
  Array.from({ length: count }, () => share('expiries', [expireLocally, revokeAtService])).flat()

function startProcess(home: string): { child: ChildProcess; ended: Promise<ProcessResult> } {
  const child = spawn(process.execPath, [bin, 'company', '--json'], {
    env: cleanEnvironment({ TT_HOME: home }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { child, ended: waitForExit(child) }
}

const startAll = (home: string) => Array.from({ length: processes }, () => startProcess(home))

/** Counts the processes by exit status and stderr. */
function tally(outcomes: ProcessResult[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, signal, stderr: printed } of outcomes) {
    // Printed after a second without the lock, which many processes need here.
    const stderr = printed.replace('Waiting for another tt process to finish.\n', '')
    const outcome = `${signal ?? status}${stderr && `: ${stderr}`}`
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}

/** Returns the process that has the connection between these ports. */
async function findConnectedProcess(
  from: number,
  to: number,
  children: readonly ChildProcess[],
): Promise<ChildProcess> {
  // While fifty processes connect and exit, a single reading of the tables may miss one.
  return vi.waitFor(() => {
    const socket = `socket:[${inodeOf(from, to)}]`
    const found = children.find(({ pid }) => descriptorsOf(pid).includes(socket))
    if (!found) throw new Error(`No process has a connection from port ${from}.`)
    return found
  }, 120_000)
}

/** Returns the inode of the socket between two ports, which identify it together. */
function inodeOf(from: number, to: number): string | undefined {
  const [local, remote] = [from, to].map(
    (port) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`,
  )
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  const rows = lines.map((line) => line.trim().split(/\s+/))
  return rows.find(([, here, there]) => here === local && there === remote)?.[9]
}

/** Returns the targets of the file descriptors of a process; none if it has exited. */
function descriptorsOf(pid: number | undefined): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`)
      } catch {
        return '' // Closed since the listing.
      }
    })
  } catch {
    return []
  }
}

test('fifty processes with an expired token succeed with one refresh', async () => {
  const session = await signIn()
  const { home, proxy } = session
  for (const [round, expire] of expiries(rounds).entries()) {
    await expire(session)
    const before = readSecrets(home)
    const refreshCount = proxy.count('/oauth/token')
    const outcomes = await Promise.all(startAll(home).map(({ ended }) => ended))
    const result = { round, outcomes: tally(outcomes), refreshes: proxy.count('/oauth/token') - refreshCount }
    expect(result).toEqual({ round, outcomes: { 0: processes }, refreshes: 1 })
    expect(readSecrets(home).refresh_token, `round ${round}`).not.toBe(before.refresh_token)
  }
})

const moments = share('moments of kills', [
  ['before the service receives the request', 1],
  ['after the service has issued new tokens', 2],
] as const)

test.for(moments)(
  'all others succeed when one of fifty processes is killed during the refresh, %s',
  async ([moment, refreshes], { skip }) => {
    skip(process.platform !== 'linux', 'finding the process of a connection requires /proc')
    const session = await signIn()
    const { home, proxy } = session
    for (const [round, expire] of expiries(Math.ceil(rounds / 2)).entries()) {
      await expire(session)
      const processList = startAll(home)
      let served = 0
      let victim: ChildProcess | undefined
      proxy.fault = async (request, forward) => {
        if (request.path !== '/oauth/token') return forward()
        const kill = victim === undefined
        if (kill)
          victim = await findConnectedProcess(
            request.remotePort,
            Number(new URL(proxy.origin).port),
            processList.map(({ child }) => child),
          )
        if (!kill || refreshes === 2) served++
        const response = !kill || refreshes === 2 ? await forward() : undefined
        if (!kill) return response
        victim?.kill('SIGKILL')
        await processList.find(({ child }) => child === victim)?.ended
        return undefined
      }
      const outcomes = await Promise.all(processList.map(({ ended }) => ended))
      proxy.fault = noFault
      const result = { moment, round, outcomes: tally(outcomes), served }
      expect(result).toEqual({ moment, round, outcomes: { 0: processes - 1, SIGKILL: 1 }, served: refreshes })
    }
    expect(tally([await startProcess(home).ended])).toEqual({ 0: 1 })
  },
)
