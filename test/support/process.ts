import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const bin = join(root, 'bin', 'tt.js')
/** Makes a process write its peak resident memory in kilobytes to the file `BENCH_PEAK`, without that of its parent. */
export const peakHook = join(root, 'test', 'bench', 'peak.cjs')

/** Whether a process can handle a signal of another. On Windows, Node ends it instead. */
export const hasSignals = process.platform !== 'win32'

export interface ProcessResult {
  status: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/**
 * Returns a time zone in which it is this hour of the day: at noon, the hours before and after a test are of its day.
 */
export function zoneWithHour(hour: number): string {
  const offset = ((hour + 36 - new Date().getUTCHours()) % 24) - 12
  return `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`
}

/** Creates an empty directory, removed with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tt-acceptance-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/**
 * Copies a directory, such as a home, into one that is removed with the test. Synchronous: while an asynchronous copy
 * waits, this process could close a database, and SQLite would remove its log.
 */
export function copyDirectory(directory: string): string {
  const copy = temporaryDirectory()
  cpSync(directory, copy, { recursive: true })
  return copy
}

/** Returns an environment that inherits only PATH and the cache directory. */
export function cleanEnvironment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH, XDG_CACHE_HOME } = process.env
  return { PATH, TZ: 'Europe/Berlin', ...(XDG_CACHE_HOME ? { XDG_CACHE_HOME } : {}), ...more }
}

/** Runs a program to completion. */
export function run(command: string, argv: string[], options: StartOptions = {}): Promise<ProcessResult> {
  return startProcess(command, argv, options).exit
}

export interface StartOptions {
  env?: NodeJS.ProcessEnv
  cwd?: string
  uid?: number
  gid?: number
  /** Standard input; empty by default. */
  input?: string
}

/** Starts a program, and collects its output. */
export function startProcess(
  command: string,
  argv: string[],
  { input, ...options }: StartOptions = {},
): { child: ChildProcess; exit: Promise<ProcessResult> } {
  const stdio: StdioOptions = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe']
  const child = spawn(command, argv, { env: cleanEnvironment(), ...options, stdio })
  child.stdin?.on('error', () => {}) // A process that exits without reading its input reports why.
  child.stdin?.end(input)
  return { child, exit: waitForExit(child) }
}

/** Runs `bin/tt.js` with this home. */
export function tt(home: string, argv: string[], env: Record<string, string> = {}): Promise<ProcessResult> {
  return run(process.execPath, [bin, ...argv], { env: cleanEnvironment({ TT_HOME: home, ...env }) })
}

/** Runs `bin/tt.js` with `--json` and returns the parsed output; throws unless it is JSON. */
export async function ttJson<Value = unknown>(home: string, ...argv: string[]): Promise<Value> {
  return JSON.parse((await tt(home, [...argv, '--json'])).stdout) as Value
}

/** Creates a home with this number of generated entries, removed with the test. */
export async function createSeededHome(entries: number): Promise<string> {
  const home = temporaryDirectory()
  const argv = ['admin', 'seed', '--entries', String(entries), '--until', '2024-05-31']
  expect(await tt(home, argv)).toMatchObject({ status: 0 })
  return home
}

/** Returns whether a program is on the PATH. */
export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
}

/** Collects the output of a process and resolves when it has exited. */
export function waitForExit(child: ChildProcess): Promise<ProcessResult> {
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status, signal) => resolve({ status, signal, stdout, stderr }))
  })
}

export interface ServeProcess {
  /** The base URL, ending in /api/v1. */
  url: string
  child: ChildProcess
  exit: Promise<ProcessResult>
}

/** Starts `tt serve` on a free port and waits until it listens. It stops with the test. */
export function startServeProcess(home: string, ...argv: string[]): Promise<ServeProcess> {
  return startServe(argv, { TT_HOME: home })
}

/** Does the same with these environment variables. */
export async function startServe(argv: string[], env: Record<string, string>): Promise<ServeProcess> {
  const { child, exit } = startProcess(process.execPath, [bin, 'serve', '--port', '0', '--json', ...argv], {
    env: cleanEnvironment(env),
  })
  onTestFinished(async () => {
    if (child.exitCode === null) child.kill('SIGTERM')
    await exit
  })
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', (text: string) => {
      output += text
      const [, url] = /"url": "([^"]+)"/.exec(output) ?? []
      if (url) resolve(url)
    })
    exit.then(({ stderr }) => reject(new Error(`tt serve exited before it listened: ${stderr}`)), reject)
  })
  return { url, child, exit }
}
