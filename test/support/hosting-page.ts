import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './process.js'

export type Database = 'SQLite' | 'PostgreSQL'

export const hostingPage = () => readFileSync(join(root, 'docs', 'hosting.md'), 'utf8')

/** Returns the commands of the walk-through of docs/hosting.md as they are written, in their order. */
export function walkThrough(database: Database): string {
  return commandsOf('From an empty machine', (step) => {
    return database === 'PostgreSQL' || !step.startsWith('With PostgreSQL')
  })
}

/**
 * Returns the commands of a section of docs/hosting.md.
 *
 * @param heading the beginning of its heading
 * @param isIncluded whether a part is included, by the text after `###`
 */
export function commandsOf(heading: string, isIncluded: (part: string) => boolean): string {
  const section = hostingPage()
    .split(/^## /m)
    .find((text) => text.startsWith(heading))
  if (section === undefined) throw new Error(`The page has no section "${heading}".`)
  return section
    .split(/^### /m)
    .filter(isIncluded)
    .flatMap((part) => [...part.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands))
    .join('\n')
}

/** Replaces each text; throws Error if one is missing. */
export function replaceAll(text: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`There is no "${from}" in: ${text}`)
    return result.replaceAll(from, to)
  }, text)
}
