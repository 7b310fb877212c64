import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { TtError } from '../lib/errors.js'
import type { Host } from './host.js'

/**
 * Runs the script of a shell alias with `sh`, with the streams of this process, and resolves to its exit status; 128 and
 * the number of the signal that ended it. Until then, Ctrl-C goes to the script.
 *
 * Throws TtError `failure` if there is no shell.
 */
export async function runShellAlias(
  { script, args }: { script: string; args: readonly string[] },
  host: Host,
): Promise<number> {
  const restoreInterrupts = host.leaveInterrupts()
  const forward = (signal: NodeJS.Signals) => void child.kill(signal)
  const forwarded = ['SIGTERM', 'SIGHUP'] as const
  // Before the start: the script can run before `spawn` has returned.
  for (const signal of forwarded) process.on(signal, forward)
  const child = spawn('sh', ['-c', script, 'tt', ...args], { stdio: 'inherit', env: host.env })
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', (cause) =>
        reject(
          new TtError('failure', `The shell could not be started: ${cause.message}.`, {
            hint: 'Shell aliases need `sh` on the PATH.',
            cause,
          }),
        ),
      )
      child.on('exit', (status, signal) => resolve(status ?? 128 + (signal ? constants.signals[signal] : 0)))
    })
  } finally {
    for (const signal of forwarded) process.off(signal, forward)
    restoreInterrupts()
  }
}
