import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { expect, onTestFinished, vi } from 'vitest'
import { readFiles, writeFiles } from './home-files.js'
import type { HttpsClient } from './https-client.js'
import { listenOnFreePort } from './ports.js'
import {
  bin,
  cleanEnvironment,
  type ProcessResult,
  type ServeProcess,
  startProcess,
  startServeProcess,
  temporaryDirectory,
} from './process.js'

/** A running `tt serve` with one user and one OAuth application. */
export interface TestService {
  home: string
  serveProcess: ServeProcess
  /** The base URL. */
  url: string
  clientId: string
  clientSecret: string
  email: string
  password: string
}

/** The files and the credentials of a service that has not been started. */
let preparedService: ReturnType<typeof prepareService> | undefined

/** Creates a user and an application with `tt admin`: the hash of the password takes most of the time. */
async function prepareService() {
  const home = temporaryDirectory()
  const [email, password] = ['ada@example.com', `pass ${randomBytes(9).toString('hex')}`]
  await expectSuccess(
    runWithInput(home, password, ['admin', 'user', 'add', email, '--name', 'Ada', '--password-stdin']),
  )
  const app = ['admin', 'app', 'add', 'Desktop', '--redirect-uri', 'http://127.0.0.1/callback', '--json']
  const added = JSON.parse((await expectSuccess(runWithInput(home, '', app))).stdout)
  const { client_id: clientId, client_secret: clientSecret } = added
  return { files: readFiles(home), credentials: { clientId, clientSecret, email, password } }
}

/** Starts a service with the user and the application; each test of a file has its own copy. It stops with the test. */
export async function startTestService(...serveOptions: string[]): Promise<TestService> {
  preparedService ??= prepareService()
  const { files, credentials } = await preparedService
  const home = temporaryDirectory()
  writeFiles(home, files)
  const serveProcess = await startServeProcess(home, ...serveOptions)
  return { home, serveProcess, url: serveProcess.url, ...credentials }
}

export interface ProcessOptions {
  env?: NodeJS.ProcessEnv
  cwd?: string
}

/** Runs `tt` with this standard input. */
export function runWithInput(
  home: string,
  input: string,
  argv: string[],
  options: ProcessOptions = {},
): Promise<ProcessResult> {
  return startTt(home, input, argv, options).exit
}

/** Returns the result of a process; fails the test unless it exits 0. */
export async function expectSuccess(outcome: Promise<ProcessResult>): Promise<ProcessResult> {
  const finished = await outcome
  expect(finished, finished.stderr).toMatchObject({ status: 0 })
  return finished
}

/** A running `tt login`. */
export interface LoginProcess {
  child: ChildProcess
  exit: Promise<ProcessResult>
  /** The authorization URL that it prints. */
  address: URL
  /** The redirect URI of that URL. */
  redirectUri: URL
  /** Returns what it has printed on stderr so far. */
  output(): string
}

export interface LoginOptions extends ProcessOptions {
  /** Overrides the URL of the service. */
  url?: string
  clientSecret?: string
  argv?: string[]
}

/** Starts `tt login` with the client of the service and waits for the authorization URL. It ends with the test. */
export async function startLogin(
  home: string,
  service: TestService,
  options: LoginOptions = {},
): Promise<LoginProcess> {
  const { child, exit, output } = spawnLogin(home, service, options)
  let hasExited = false
  void exit.then(() => {
    hasExited = true
  })
  const address = await vi.waitFor(
    () => {
      const [found] = /^ {2}(http:\S+)$/m.exec(output())?.slice(1) ?? []
      if (hasExited && !found) return undefined
      expect(found).toBeDefined()
      return found
    },
    { timeout: 120_000, interval: 10 },
  )
  if (!address) throw new Error(`tt login exited early: ${output()}`)
  const parsed = new URL(address)
  return {
    child,
    exit,
    output,
    address: parsed,
    redirectUri: new URL(parsed.searchParams.get('redirect_uri') ?? ''),
  }
}

/** Runs a `tt login` that fails before it prints an authorization URL. */
export function runFailingLogin(
  home: string,
  service: TestService,
  options: LoginOptions = {},
): Promise<ProcessResult> {
  return spawnLogin(home, service, options).exit
}

function spawnLogin(home: string, service: TestService, options: LoginOptions) {
  const { url = service.url, clientSecret = service.clientSecret, argv = ['--insecure-storage'] } = options
  const client = ['--base-url', url, '--client-id', service.clientId, '--client-secret-stdin']
  const { child, exit } = startTt(home, clientSecret, ['login', ...client, ...argv], {
    ...options,
    env: { BROWSER: 'none', ...options.env },
  })
  let output = ''
  child.stderr?.on('data', (text) => {
    output += text
  })
  return { child, exit, output: () => output }
}

function startTt(home: string, input: string, argv: string[], { env = {}, cwd = home }: ProcessOptions) {
  const all = { ...cleanEnvironment({ TT_HOME: home, HOME: home }), ...env }
  const started = startProcess(process.execPath, [bin, ...argv], { env: all, cwd, input })
  onTestFinished(() => void started.child.kill('SIGKILL'))
  return started
}

/**
 * Signs in and consents without a browser; returns the redirect URI with the authorization response.
 *
 * @param send sends the requests instead of `fetch`
 */
export async function authorize(
  address: URL | string,
  { email, password }: Pick<TestService, 'email' | 'password'>,
  send: HttpsClient = fetch,
): Promise<URL> {
  let cookie = ''
  const open = async (form?: Record<string, string>) => {
    const response = await send(address, {
      redirect: 'manual',
      headers: { cookie },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    })
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    return response
  }
  const token = async () => /name="form_token" value="([^"]+)"/.exec(await (await open()).text())?.[1] ?? ''
  await open({ form_token: await token(), action: 'sign-in', email, password })
  const decision = await open({ form_token: await token(), action: 'allow' })
  return new URL(decision.headers.get('location') ?? '')
}

/** Signs in with email and password; stores secrets in a file. */
export function loginWithPassword(
  home: string,
  { url, email, password }: TestService,
  ...argv: string[]
): Promise<ProcessResult> {
  const words = ['--base-url', url, '--email', email, '--password-stdin', '--insecure-storage', ...argv]
  return runWithInput(home, password, ['login', '--key', ...words])
}

/** Returns the output of `tt whoami --json`. */
export async function whoami(home: string, options: ProcessOptions = {}): Promise<Record<string, unknown>> {
  return JSON.parse((await expectSuccess(runWithInput(home, '', ['whoami', '--json'], options))).stdout)
}

/** Starts a server that closes every connection and counts them. */
export async function startConnectionCounter(): Promise<{ url: string; connections(): number }> {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${await listenOnFreePort(server)}/api/v1`, connections: () => connections }
}
