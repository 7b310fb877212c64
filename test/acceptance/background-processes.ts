import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { bin, cleanEnvironment, type ProcessResult, waitForExit } from '../support/process.js'

export const isScriptMissing = spawnSync('script', ['--version']).status !== 0

/** A command in a terminal of its own. */
export interface TerminalCommand {
  child: ChildProcess
  /** The output of the terminal is in `stdout`. */
  exit: Promise<ProcessResult>
  /** Closes the terminal: the system sends SIGHUP to its processes. */
  closeTerminal(): void
}

/** Starts `tt` in a terminal with `script`, so that it sends its changes in the background. */
export function startInTerminal(
  home: string,
  argv: string[],
  env: Record<string, string> = {},
): TerminalCommand {
  const words = [process.execPath, bin, ...argv].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', words, '/dev/null'], {
    env: cleanEnvironment({ TT_HOME: home, HOME: home, TERM: 'xterm', NO_COLOR: '1', ...env }),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin?.on('error', () => {})
  return { child, exit: waitForExit(child), closeTerminal: () => void child.kill('SIGKILL') }
}

/** Runs `tt` in a terminal and returns what it prints. */
export async function runInTerminal(
  home: string,
  argv: string[],
  env: Record<string, string> = {},
): Promise<ProcessResult> {
  const outcome = await startInTerminal(home, argv, env).exit
  return { ...outcome, stdout: outcome.stdout.replaceAll('\r', '') }
}

/** Returns the keys of the client states of a home. */
export function stateKeysOf(home: string): string[] {
  try {
    return readdirSync(join(home, 'profiles'))
  } catch {
    return []
  }
}

/** Returns the IDs of the processes that send the changes of a home in the background. */
export function backgroundProcesses(home: string): number[] {
  const keys = stateKeysOf(home)
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
        return words.includes('__deliver') && keys.some((key) => words.includes(key))
      } catch {
        return false // It has ended.
      }
    })
    .map(Number)
}

/** Ends the processes that send the changes of a home, with the test. */
export function endBackgroundProcesses(home: string) {
  onTestFinished(() => {
    for (const pid of backgroundProcesses(home)) process.kill(pid, 'SIGKILL')
  })
}
