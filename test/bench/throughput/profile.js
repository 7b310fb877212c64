// Prints where the processor time of a profile went (`node --cpu-prof`).
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { write } from '../timing.js'

const lines = 25

/**
 * Prints the functions with most samples of their own, of the newest profile in the directory. The times between samples
 * are not used: they include those in which other processes had the core.
 * @param {string} directory
 */
export function printProfile(directory) {
  const newest = readdirSync(directory)
    .filter((name) => name.endsWith('.cpuprofile'))
    .sort()
    .at(-1)
  if (newest === undefined) return
  const { nodes, samples } = JSON.parse(readFileSync(join(directory, newest), 'utf8'))
  /** @type {Map<number, string>} */
  const names = new Map(nodes.map((/** @type {any} */ node) => [node.id, nameOf(node.callFrame)]))
  /** @type {Map<string, number>} */
  const counts = new Map()
  let total = 0
  for (const id of samples) {
    const name = names.get(id) ?? ''
    if (/^\((idle|program|root)\)/.test(name)) continue
    total += 1
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  write(`\nProfile ${join(directory, newest)}: ${total} samples in functions\n`)
  for (const [name, count] of [...counts].sort((a, b) => b[1] - a[1]).slice(0, lines))
    write(`  ${((100 * count) / total).toFixed(1).padStart(5)} %  ${name}\n`)
}

/** @param {{ functionName: string, url: string, lineNumber: number }} frame */
function nameOf({ functionName, url, lineNumber }) {
  const place = url === '' ? '' : ` ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`
  return `${functionName || '(anonymous)'}${place}`
}
