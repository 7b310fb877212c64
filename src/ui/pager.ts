import type { ChildProcess } from 'node:child_process'
import type { Writable } from 'node:stream'
import { splitCommand } from './split-command.js'

type Environment = Readonly<Record<string, string | undefined>>

/** A program that shows a long text a screen at a time. */
export interface Pager {
  /** Hands it text; `done` is told EPIPE when nobody wants more. */
  write(text: string, done: (error?: Error | null) => void): void
  /** There is no more text. Resolves when the reader has quit. */
  end(): Promise<void>
}

export interface PagerHost {
  env: Environment
  warn(text: string): void
  /** Resolves when the program is told to end; asked once the pager runs, which from then on has Ctrl-C to itself. */
  untilStopped(): Promise<void>
}

/**
 * The commands to try, the best first: `TT_PAGER`, else `PAGER`, else less, else more. None where nothing but `cat` is
 * wanted, or an empty one.
 */
export function pagerCommands({ TT_PAGER, PAGER }: Environment): string[][] {
  const chosen = TT_PAGER ?? PAGER
  if (chosen === undefined) return [['less'], ['more']]
  const args = splitCommand(chosen)
  return args.length === 0 || (args.length === 1 && args[0] === 'cat') ? [] : [args]
}

/** Starts a pager on the terminal; undefined where none is wanted or none can be started, which is then told. */
export async function openPager(host: PagerHost): Promise<Pager | undefined> {
  const { spawn } = await import('node:child_process')
  const commands = pagerCommands(host.env)
  // Quit where it fits after all, keep colours, and leave the text on the screen: less alone reads this.
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
  input.on('error', () => {}) // Each write reports its own.
  // It still shows what it has got: the reader leaves, not the signal.
  host.untilStopped().then(() => input.destroy())
  return {
    write(text, done) {
      // Whatever the reason: a pipe that is gone is a reader who has seen enough.
      const gone = Object.assign(new Error('The pager has been quit.'), { code: 'EPIPE' })
      input.write(text, (error) => done(error ? gone : undefined))
    },
    end() {
      input.end()
      return quit
    },
  }
}
