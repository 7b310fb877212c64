import { PassThrough } from 'node:stream'
import type { Host } from '../../src/cli/host.js'

/** Creates a host without terminal, signals and environment, except for these parts. */
export function createTestHost(parts: Partial<Host> = {}): Host {
  return {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    promptOutput: new PassThrough(),
    env: {},
    cwd: () => undefined,
    now: () => new Date(0),
    program: () => ({ node: process.execPath, script: '/nonexistent/tt' }),
    pause: () => new Promise(setImmediate),
    onInterrupt: () => {},
    untilStopped: () => new Promise(() => {}),
    interruption: () => new AbortController().signal,
    leaveInterrupts: () => () => {},
    on: () => () => {},
    raise: () => {},
    ...parts,
  }
}

/** Returns what was written to a stream since the last call. */
export function unreadText(stream: PassThrough): string {
  const chunks: Buffer[] = []
  for (let chunk: Buffer | null = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
