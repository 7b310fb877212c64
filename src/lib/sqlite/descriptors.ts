import { closeSync, openSync } from 'node:fs'
import { TtError } from '../errors.js'

/** File descriptors that the driver, two databases with their logs, and a commit take together. */
const requiredDescriptors = 13

const nullDevice = process.platform === 'win32' ? String.raw`\\.\nul` : '/dev/null'

/** Throws TtError `failure` when this process cannot open as many more files as the databases need. */
export function assertFreeDescriptors(): void {
  if (!hasFreeDescriptors(requiredDescriptors)) throw tooManyOpenFilesError()
}

/** Whether this process can open that many more files. */
export function hasFreeDescriptors(count: number): boolean {
  const descriptors: number[] = []
  try {
    while (descriptors.length < count) descriptors.push(openSync(nullDevice, 'r'))
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && /^E[MN]FILE$/.test(String(error.code)))
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor)
  }
}

export function tooManyOpenFilesError(cause?: unknown): TtError {
  return new TtError('failure', 'tt cannot open its files: too many files are open.', {
    hint: 'Nothing was saved. Raise the limit of file descriptors, for example with `ulimit -n 256`, then repeat the command.',
    cause,
  })
}
