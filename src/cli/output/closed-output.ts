import { readFileSync, readlinkSync, statSync } from 'node:fs'

/** Programs that open /dev/null for writing only, so that a descriptor for reading too was not theirs. */
const shells = new Set(['ash', 'bash', 'dash', 'fish', 'ksh', 'mksh', 'sh', 'yash', 'zsh'])

/**
 * Whether the parent process has closed standard output, as `tt log >&-` does. Node then opens /dev/null there for reading
 * and writing, as some programs do to discard the output of a child (`stdio: 'ignore'` of Node, `DEVNULL` of Python); a
 * shell opens it for writing only. Linux alone shows this; false elsewhere.
 */
export function isClosedByParent(descriptor: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    if (readlinkSync(`/proc/self/fd/${descriptor}`) !== '/dev/null' || !isForReadingToo(descriptor))
      return false
    const parent = `/proc/${process.ppid}`
    const inherited = targetOf(`${parent}/fd/${descriptor}`)
    if (inherited === undefined) return statSync(`${parent}/fd`).isDirectory()
    return inherited !== '/dev/null' && shells.has(readFileSync(`${parent}/comm`, 'utf8').trim())
  } catch {
    return false // The process has ended, or belongs to another user.
  }
}

function isForReadingToo(descriptor: number): boolean {
  const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')
  const flags = Number.parseInt(/^flags:\s*(\d+)$/m.exec(info)?.[1] ?? '0', 8)
  const accessMode = flags & 3
  return accessMode === 2 // O_RDWR
}

/** Returns the target of a link; undefined without one. */
function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
