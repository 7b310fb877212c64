import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readFiles } from './home-files.js'

/** Collects the command lines of all processes of this machine until the test ends or `stop` is called. */
export function watchCommandLines(): { seen: Set<string>; stop(): void } {
  const seen = new Set<string>()
  const scan = () => {
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue
      try {
        seen.add(readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim())
      } catch {
        // The process has exited.
      }
    }
  }
  const watch = setInterval(scan, 5)
  const stop = () => clearInterval(watch)
  onTestFinished(stop)
  return { seen, stop }
}

/** Returns the text and its common encodings. */
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

/** Returns the names of the secrets that the text or bytes contain, in any encoding. */
export function findLeaks(text: string | Buffer, secrets: ReadonlyMap<string, string>): string[] {
  return [...secrets]
    .filter(([secret]) => forms(secret).some((form) => text.includes(form)))
    .map(([, name]) => name)
}

/** Returns the files under a directory that contain secrets, each with the names of those secrets. */
export function findLeakingFiles(
  directory: string,
  secrets: ReadonlyMap<string, string>,
): Record<string, string[]> {
  const found = [...readFiles(directory)]
    .map(([path, content]) => [join(directory, path), findLeaks(content, secrets)] as const)
    .filter(([, leaks]) => leaks.length > 0)
  return Object.fromEntries(found)
}
