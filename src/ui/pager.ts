import { type ChildProcess, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import { pagerCommands } from './configured-commands.js'

type Environment = Readonly<Record<string, string | undefined>>

/** A program that shows long text in screens. */
export interface Pager {
  /** Writes text; `done` gets an EPIPE error after the user has quit the pager. */
  write(text: string, done: (error?: Error | null) => void): void
  /** Ends the text. Resolves when the user has quit the pager. */
  end(): Promise<void>
}

export interface PagerHost {
  env: Environment
  warn(text: string): void
  /** Resolves on SIGINT or SIGTERM. Called when the pager runs, which handles Ctrl-C from then on. */
  untilStopped(): Promise<void>
}

/** Starts a pager; returns undefined if it is disabled, or after a warning if it cannot be started. */
export async function openPager(host: PagerHost): Promise<Pager | undefined> {
  const commands = pagerCommands(host.env)
  // For less: quit if the text fits, show colours, and leave the text on the screen.
  const env = { LESS: 'FRX', LESSCHARSET: 'utf-8', ...host.env }
  for (const [program = '', ...args] of commands) {
    const child = spawn(program, args, { env, stdio: ['pipe', 'inherit', 'inherit'] })
    const failure = await startError(child)
    if (!failure && child.stdin) return pagerFor(child, child.stdin, host)
    if (commands.length === 1) host.warn(`The pager ${program} cannot be started (${failure?.code}).`)
  }
  return undefined
}

function startError(child: ChildProcess): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(undefined))
    child.once('error', resolve)
  })
}

function pagerFor(child: ChildProcess, input: Writable, host: PagerHost): Pager {
  const quit = new Promise<void>((resolve) => child.once('close', () => resolve()))
  input.on('error', () => {}) // Each write reports its own error.
  // The pager remains open with the text it has received, until the user quits it.
  host.untilStopped().then(() => input.destroy())
  return {
    write(text, done) {
      // A closed pipe always means that the user has quit.
      const quitError = Object.assign(new Error('The pager has been quit.'), { code: 'EPIPE' })
      input.write(text, (error) => done(error ? quitError : undefined))
    },
    end() {
      input.end()
      return quit
    },
  }
}
