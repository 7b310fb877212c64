import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Every command line that any process of this machine has, from now until the test is over or `stop` is called. */
export function watchCommandLines(): { seen: Set<string>; stop(): void } {
  const seen = new Set<string>()
  const look = () => {
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue
      try {
        seen.add(readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim())
      } catch {
        // It has ended.
      }
    }
  }
  const watch = setInterval(look, 5)
  const stop = () => clearInterval(watch)
  onTestFinished(stop)
  return { seen, stop }
}

/** The text and its usual disguises. */
function forms(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = bytes.toString('base64')
  return [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ secret }).toString().slice('secret='.length),
    bytes.toString('hex'),
    base64.replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]
}

/** The names of the secrets that are in the text or bytes, in one disguise or another. */
export function findLeaks(text: string | Buffer, secrets: ReadonlyMap<string, string>): string[] {
  return [...secrets]
    .filter(([secret]) => forms(secret).some((form) => text.includes(form)))
    .map(([, name]) => name)
}

/** The files under a directory that hold secrets, each with the names of those. */
export function findLeakingFiles(
  directory: string,
  secrets: ReadonlyMap<string, string>,
): Record<string, string[]> {
  const found = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path, findLeaks(readFileSync(path), secrets)] as const)
    .filter(([, leaks]) => leaks.length > 0)
  return Object.fromEntries(found)
}
