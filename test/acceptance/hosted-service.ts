import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { readFiles, writeFiles } from '../support/home-files.js'
import { replaceAll, walkThrough } from '../support/hosting-page.js'
import { createHttpsClient, type HttpsClient } from '../support/https-client.js'
import { bin, cleanEnvironment, run, startProcess, temporaryDirectory } from '../support/process.js'
import { authorize } from '../support/sign-in.js'

/** A service over SQLite that was set up with the commands of docs/hosting.md, behind a proxy. */
export interface HostedService {
  origin: string
  port: number
  /** The file of its database. */
  database: string
  /** The token of another user, who has no entries. */
  token: string
  fetch: HttpsClient
  /** Runs `tt` as the user who signed in, and returns its output as JSON; fails the test unless it exits 0. */
  tt<Value>(...argv: string[]): Promise<Value>
  /** Returns the log of the service so far. */
  log(): string
  stop(): Promise<void>
  start(): Promise<void>
}

/** The files of a service that has not been started. */
let preparedFiles: ReturnType<typeof prepareFiles> | undefined

/** Creates a directory with `tt` on its PATH. */
function createHome(more: NodeJS.ProcessEnv) {
  const home = temporaryDirectory()
  mkdirSync(join(home, 'bin'))
  symlinkSync(bin, join(home, 'bin', 'tt'))
  const env: NodeJS.ProcessEnv = {
    ...cleanEnvironment({ HOME: home, BROWSER: 'none' }),
    ...more,
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
  }
  return { home, directory: join(home, 'tt-service'), env }
}

/** Returns the parts of the walk-through that configure the service, add its records, and start and use it. */
function partsOfWalkThrough(replacements: Record<string, string>): [string, string, string] {
  const commands = replaceAll(walkThrough('SQLite'), {
    'npm install --global tt-time-tracker\n': '',
    ...replacements,
  })
  const [configure, add, use, ...others] = commands.split(/^(?=tt admin company |tt serve )/m)
  if (!configure || !add || !use || others.length > 0) throw new Error(`Not three parts: ${commands}`)
  return [configure, add, use]
}

function startScript(home: string, env: NodeJS.ProcessEnv, commands: string[]) {
  const script = join(home, 'script')
  writeFileSync(script, commands.join('\n'))
  return startProcess('bash', ['-euo', 'pipefail', script], { env, cwd: home }).exit
}

/** Runs the commands of the walk-through before the start of the service, which do not depend on the proxy. */
async function prepareFiles() {
  const { home, directory, env } = createHome({})
  const [configure, add] = partsOfWalkThrough({})
  const other = 'tt admin user add bob@example.com --json > bob.json'
  const outcome = await startScript(home, env, [configure, add, other])
  expect(outcome, outcome.stderr).toMatchObject({ status: 0 })
  return readFiles(directory)
}

/**
 * Runs the commands of the walk-through from an empty directory, with the address of the proxy as the public URL, and
 * signs in as the user. The service stops with the test.
 *
 * @param authority the file of the certificate of the proxy
 */
export async function setUpBehindProxy(
  origin: string,
  { port, authority }: { port: number; authority: string },
): Promise<HostedService> {
  preparedFiles ??= prepareFiles()
  const { home, directory, env } = createHome({
    CURL_CA_BUNDLE: authority,
    NODE_EXTRA_CA_CERTS: authority,
  })
  writeFiles(directory, await preparedFiles)
  const [configure, , use] = partsOfWalkThrough({
    'http://localhost:8320': origin,
    '"port": 8320,': `"port": ${port},\n  "trust-proxy": 1,`,
    'tt serve 2> serve.log &': 'tt serve > /dev/null 2> serve.log & echo $! > serve.pid',
    '--client-secret-stdin': '--client-secret-stdin --insecure-storage 2> login.txt',
  })
  const exit = startScript(home, env, [configure, use])
  const read = (file: string) => readFileSync(join(directory, file), 'utf8')
  onTestFinished(() => stopProcess(() => Number(read('serve.pid'))))
  const fetchHttps = createHttpsClient(authority)
  await signInWhenReady(read, exit, fetchHttps)
  const outcome = await exit
  expect(outcome, outcome.stderr).toMatchObject({ status: 0 })

  const settings = { TT_CONFIG: join(directory, 'service.json') }
  const inDirectory = { env: { ...env, ...settings }, cwd: directory }
  let laterLog = () => ''
  let stop = () => stopProcess(() => Number(read('serve.pid')))
  return {
    origin,
    port,
    database: join(directory, 'team.db'),
    token: JSON.parse(read('bob.json')).token,
    fetch: fetchHttps,
    async tt(...argv) {
      const { status, stdout, stderr } = await run(process.execPath, [bin, ...argv, '--json'], inDirectory)
      expect(status, stderr).toBe(0)
      return JSON.parse(stdout)
    },
    log: () => read('serve.log') + laterLog(),
    stop: () => stop(),
    async start() {
      const { child, exit } = startProcess(process.execPath, [bin, 'serve'], inDirectory)
      let text = ''
      child.stderr?.on('data', (part) => {
        text += part
      })
      laterLog = () => text
      stop = async () => {
        child.kill('SIGTERM')
        await exit
      }
      onTestFinished(() => stop())
      const isReady = () => fetchHttps(`${origin}/readyz`).then(({ status }) => status)
      await expect.poll(isReady, { interval: 100 }).toBe(200)
    },
  }
}

/** Signs in on the page whose address `tt login` prints, unless the shell exits before. */
async function signInWhenReady(read: (file: string) => string, exit: Promise<unknown>, send: HttpsClient) {
  const address = vi.waitFor(() => findAddress(read('login.txt')), {
    timeout: 120_000,
    interval: 50,
  })
  const url = await Promise.race([address, exit.then(() => undefined)])
  if (url === undefined) return
  const credentials = { email: 'ada@example.com', password: read('password.txt').trim() }
  await fetch(await authorize(url, credentials, send))
}

function findAddress(output: string): string {
  const [, url] = /^ {2}(https:\S+)$/m.exec(output) ?? []
  if (url === undefined) throw new Error(`tt login has printed no address: ${output}`)
  return url
}

/** Stops a process that is no child of this one. */
async function stopProcess(pid: () => number): Promise<void> {
  const isRunning = () => {
    try {
      return process.kill(pid(), 0)
    } catch {
      return false
    }
  }
  if (isRunning()) process.kill(pid(), 'SIGTERM')
  await expect.poll(isRunning, { interval: 20 }).toBe(false)
}
