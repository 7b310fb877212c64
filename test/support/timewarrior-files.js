import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Writes entries to a directory in the format of Timewarrior: a file for each month.
 * @param {string} directory
 * @param {{ from: number, to: number, tags: string[] }[]} entries times in epoch milliseconds
 */
export function writeTimewarriorFiles(directory, entries) {
  /** @type {Map<string, string[]>} */
  const months = new Map()
  for (const { from, to, tags } of entries.toSorted((a, b) => a.from - b.from)) {
    const month = new Date(from).toISOString().slice(0, 7)
    const lines = months.get(month) ?? []
    months.set(month, lines)
    const words = tags.map((tag) => JSON.stringify(tag))
    lines.push(`inc ${stamp(from)} - ${stamp(to)} # ${words.join(' ')}\n`)
  }
  mkdirSync(join(directory, 'data'), { recursive: true })
  writeFileSync(join(directory, 'timewarrior.cfg'), '')
  for (const [month, lines] of months) writeFileSync(join(directory, 'data', `${month}.data`), lines.join(''))
}

/** Formats a time as 20240501T090000Z. @param {number} ms */
const stamp = (ms) => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')
