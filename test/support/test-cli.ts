import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { main } from '../../src/main.js'
import { outputViolations } from './described-output.js'
import { withTables } from './empty-workspace.js'
import { violations } from './response-violations.js'
import { createTestHost } from './test-host.js'

/** When the machine of ticking clocks was started, in epoch milliseconds. */
const firstStartMs = Date.parse('2024-01-01T00:00:00Z')

export interface CommandResult {
  status: number
  stdout: string
  stderr: string
  /** Parses stdout as JSON. */
  json(): unknown
}

/** Texts that a command shows, each with the keys to type then. */
export type Dialog = readonly (readonly [shown: string, keys: string])[]

/** Runs `tt` in this process, with an empty home and a clock that the test sets. */
export interface TestCli {
  home: string
  env: Record<string, string | undefined>
  /** Sets the clock at which the next commands start: RFC 3339, or local time. */
  setTime(time: string): void
  /** The pauses of all commands, in milliseconds. Each only advances the clock of its command. */
  pausesMs: number[]
  /** Returns the clock as a running command reads it, in epoch milliseconds. */
  nowMs(): number
  /** Advances the clock, also that of a running command, as if the machine had been suspended. */
  suspend(ms: number): void
  /** Starts the machine anew at this time, which ends its sleep so far. */
  restart(time: string): void
  /** Called once, after the running command has read the uptime. */
  onUptimeRead: (() => void) | undefined
  run(...argv: string[]): Promise<CommandResult>
  /** Runs a command with stdout and stderr as terminals of this width. */
  runInTerminal(columns: number, ...argv: string[]): Promise<CommandResult>
  /** Runs a command with all three streams as terminals, so that it sends its changes in the background. */
  runInteractively(...argv: string[]): Promise<CommandResult>
  /** Runs a command like that, and types the keys of each step as soon as its text was shown after the previous step. */
  runWithKeys(dialog: Dialog, ...argv: string[]): Promise<CommandResult>
  /** The arguments of the processes that commands have started to send their changes. */
  started: string[][]
  /** Whether such a process can be started. */
  canStart: boolean
  /** Runs the processes that were started, one after the other. */
  runStarted(): Promise<void>
  /** Runs a command with this standard input. */
  runWithInput(input: string | Buffer, ...argv: string[]): Promise<CommandResult>
  /** Runs a command with `--json` and returns the parsed output; throws unless it exits 0. */
  json<Value = Record<string, unknown>>(...argv: string[]): Promise<Value>
}

/**
 * Creates a `TestCli`, removed with the test.
 *
 * @param time start of its clock
 * @param options.ticking whether the clocks, also that of the uptime, advance while a command runs, so that timeouts expire
 */
export function createTestCli(time = '2024-05-01T09:30:00', { ticking = false } = {}): TestCli {
  const home = mkdtempSync(join(tmpdir(), 'tt-desk-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  let now = new Date(time)
  let clock = () => now
  let suspendedMs = 0
  let sleptMs = 0
  let startedMs = firstStartMs
  const pausesMs: number[] = []
  const env: Record<string, string | undefined> = { TT_HOME: home, NO_COLOR: '1' }

  async function run(
    argv: string[],
    columns?: number,
    input?: string | Buffer,
    { isInteractive = false, dialog }: { isInteractive?: boolean; dialog?: Dialog } = {},
  ): Promise<CommandResult> {
    const stdin = new PassThrough()
    if (!dialog) stdin.end(input)
    const stdout = collector(columns)
    const stderr = collector(columns, dialog && typeInto(stdin, dialog))
    if (isInteractive) Object.assign(stdin, { isTTY: true })
    let startMs: number | undefined
    let pausedMs = 0
    clock = () => {
      startMs ??= performance.now()
      const tickedMs = ticking ? performance.now() - startMs : 0
      return new Date(now.getTime() + pausedMs + suspendedMs + tickedMs)
    }
    const uptimeMs = () => {
      const ms = clock().getTime() - startedMs
      const { onUptimeRead } = cli
      cli.onUptimeRead = undefined
      onUptimeRead?.()
      return ms
    }
    const host = createTestHost({
      stdin,
      stdout: stdout.stream,
      stderr: stderr.stream,
      promptOutput: stderr.stream,
      env: { ...env },
      cwd: () => home,
      now: clock,
      ...(ticking ? { uptimeMs } : {}),
      sleepClock: () => ({ uptimeMs: clock().getTime() - startedMs, sleptMs }),
      startDetached(words) {
        if (cli.canStart) cli.started.push([...words])
        return cli.canStart
      },
      pause(ms) {
        pausesMs.push(ms)
        pausedMs += ms
        return new Promise(setImmediate)
      },
    })
    const isLocal = env.TT_BASE_URL === undefined && env.TT_HOME === home
    const status = await (isLocal ? withTables(home, argv, () => main(argv, host)) : main(argv, host))
    const printed = { status, stdout: stdout.text(), stderr: stderr.text() }
    violations.push(...(await outputViolations(argv, printed)))
    return { ...printed, json: () => JSON.parse(stdout.text()) }
  }

  const cli: TestCli = {
    home,
    env,
    pausesMs,
    onUptimeRead: undefined,
    started: [],
    canStart: true,
    async runStarted() {
      for (const argv of cli.started.splice(0)) await run(argv)
    },
    runInteractively: (...argv) => run(argv, 1000, undefined, { isInteractive: true }),
    runWithKeys: (dialog, ...argv) => run(argv, 100, undefined, { isInteractive: true, dialog }),
    setTime(time) {
      now = new Date(time)
      clock = () => now
      suspendedMs = 0
    },
    nowMs: () => clock().getTime(),
    suspend(ms) {
      suspendedMs += ms
      sleptMs += ms
    },
    restart(time) {
      cli.setTime(time)
      startedMs = now.getTime()
      sleptMs = 0
    },
    run: (...argv) => run(argv),
    runInTerminal: (columns, ...argv) => run(argv, columns),
    runWithInput: (input, ...argv) => run(argv, undefined, input),
    async json<Value>(...argv: string[]) {
      const outcome = await run([...argv, '--json'])
      if (outcome.status !== 0)
        throw new Error(`tt ${argv.join(' ')} exited ${outcome.status}: ${outcome.stderr}`)
      return outcome.json() as Value
    },
  }
  return cli
}

/** Returns a function that receives all text shown so far, and types the keys of the dialog. */
function typeInto(stdin: PassThrough, dialog: Dialog): (shown: string) => void {
  let [step, end] = [0, 0]
  return (shown) => {
    const [text, keys] = dialog[step] ?? []
    if (text === undefined || !shown.includes(text, end)) return
    step++
    end = shown.length
    setImmediate(() => stdin.write(keys))
  }
}

/** Returns a stream that collects text, as a terminal of this width if it is given. */
export function collector(columns?: number, onText?: (shown: string) => void) {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      onText?.(Buffer.concat(chunks).toString())
      done()
    },
  })
  return {
    stream: Object.assign(stream, {
      end: () => stream, // Like standard error, it stays open after a prompt.
      ...(columns === undefined ? {} : { isTTY: true, columns }),
    }),
    text: () => Buffer.concat(chunks).toString(),
  }
}
