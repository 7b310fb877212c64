import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Credentials } from '../../src/auth/credentials/credentials.js'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import {
  bin,
  cleanEnvironment,
  type ProcessResult,
  temporaryDirectory,
  waitForExit,
} from '../support/process.js'
import { noFault, type ServiceProxy, startProxy } from '../support/proxy.js'
import {
  authorize,
  expectSuccess,
  startLogin,
  startTestService,
  type TestService,
} from '../support/sign-in.js'

/** How often the fifty run. One round takes five seconds or more on two cores, so only `.ci/run` asks for all 20. */
const rounds = Number(process.env.TT_SESSION_ROUNDS ?? 4)
const roundsEach = Math.ceil(rounds / 2)
const processes = 50

/** Signs in at a real service, behind a proxy. */
interface SignedIn {
  office: TestService
  home: string
  proxy: ServiceProxy
}

async function signedIn(): Promise<SignedIn> {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  // Longer than this process may stand still among fifty others: a request would be cut that has just come in.
  const proxy = await startProxy(service.url, { keepAliveMs: 60_000 })
  const login = await startLogin(home, service, {
    url: proxy.url,
    argv: ['--insecure-storage', '--profile', 'acme'],
  })
  await fetch(await authorize(login.address, service))
  await expectSuccess(login.exit)
  return { office: service, home, proxy }
}

const secretsPath = (home: string) => join(home, 'credentials', 'acme.json')

function secretsIn(home: string): Extract<Credentials, { method: 'oauth' }> {
  const secrets = JSON.parse(readFileSync(secretsPath(home), 'utf8')) as Credentials
  if (secrets.method !== 'oauth') throw new Error('Not signed in with OAuth.')
  return secrets
}

/** The end of the token has come, as this machine knows. */
function expireHere({ home }: SignedIn) {
  writeFileSync(secretsPath(home), JSON.stringify({ ...secretsIn(home), expires_at: '2020-01-01T00:00:00Z' }))
}

/** The service takes the token no more, and this machine does not know yet. */
async function revokeThere({ office: service }: SignedIn) {
  const database = await openSqlite(join(service.home, 'workspace.db'))
  database.prepare('UPDATE tokens SET revoked_at = 1 WHERE refresh_token_id IS NOT NULL').run()
  database.close()
}

function begin(home: string): { child: ChildProcess; ended: Promise<ProcessResult> } {
  const child = spawn(process.execPath, [bin, 'company', '--json'], {
    env: cleanEnvironment({ TT_HOME: home }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { child, ended: waitForExit(child) }
}

const beginAll = (home: string) => Array.from({ length: processes }, () => begin(home))

/** How they ended, those that did so in the same way together. */
function tally(outcomes: ProcessResult[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, signal, stderr } of outcomes) {
    const outcome = `${signal ?? status}${stderr && `: ${stderr}`}`
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}

/** The process, of those, that has the other end of the connection between these ports. */
async function processBehind(
  from: number,
  to: number,
  children: readonly ChildProcess[],
): Promise<ChildProcess> {
  // While fifty connect and end, a reading of the tables may pass one by.
  return vi.waitFor(() => {
    const socket = `socket:[${inodeOf(from, to)}]`
    const found = children.find(({ pid }) => descriptorsOf(pid).includes(socket))
    if (!found) throw new Error(`No process has a connection from port ${from}.`)
    return found
  }, 20_000)
}

/** Both ends, because another connection, to another port, may come from the same one. */
function inodeOf(from: number, to: number): string | undefined {
  const [local, remote] = [from, to].map(
    (port) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`,
  )
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  const rows = lines.map((line) => line.trim().split(/\s+/))
  return rows.find(([, here, there]) => here === local && there === remote)?.[9]
}

/** What its descriptors are; none of a process that has ended. */
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

test(`fifty processes with an expired token: one refresh, fifty successes, ${rounds} times`, async () => {
  const person = await signedIn()
  const { home, proxy } = person
  for (let round = 1; round <= rounds; round++) {
    // By turns: an end that is known beforehand, and one that shows in a 401.
    if (round % 2 === 1) expireHere(person)
    else await revokeThere(person)
    const before = secretsIn(home)
    const refreshCount = proxy.count('/oauth/token')
    const outcomes = await Promise.all(beginAll(home).map(({ ended }) => ended))
    const what = { round, outcomes: tally(outcomes), refreshes: proxy.count('/oauth/token') - refreshCount }
    expect(what).toEqual({ round, outcomes: { 0: processes }, refreshes: 1 })
    expect(secretsIn(home).refresh_token, `round ${round}`).not.toBe(before.refresh_token)
  }
})

test.for([
  ['before the service has seen the request', 1],
  ['after the service has handed out the new tokens', 2],
] as const)(
  `one of fifty is killed in mid-refresh, %s: all others succeed, ${roundsEach} times`,
  async ([moment, refreshes], { skip }) => {
    skip(process.platform !== 'linux', 'whose connection it is can be seen in /proc alone')
    const person = await signedIn()
    const { home, proxy } = person
    for (let round = 1; round <= roundsEach; round++) {
      if (round % 2 === 1) expireHere(person)
      else await revokeThere(person)
      const begun = beginAll(home)
      let served = 0
      let victim: ChildProcess | undefined
      proxy.fault = async (request, forward) => {
        if (request.path !== '/oauth/token') return forward()
        const kill = victim === undefined
        if (kill)
          victim = await processBehind(
            request.remotePort,
            Number(new URL(proxy.origin).port),
            begun.map(({ child }) => child),
          )
        if (!kill || refreshes === 2) served++
        const response = !kill || refreshes === 2 ? await forward() : undefined
        if (!kill) return response
        victim?.kill('SIGKILL')
        await begun.find(({ child }) => child === victim)?.ended
        return undefined
      }
      const outcomes = await Promise.all(begun.map(({ ended }) => ended))
      proxy.fault = noFault
      const what = { moment, round, outcomes: tally(outcomes), served }
      expect(what).toEqual({ moment, round, outcomes: { 0: processes - 1, SIGKILL: 1 }, served: refreshes })
    }
    expect(tally([await begin(home).ended])).toEqual({ 0: 1 })
  },
)
