import { type Link, pathOf } from '../../tracking/catalog/links.js'
import { type Candidate, isInsertable } from './candidates.js'

/**
 * Returns a candidate for each link, in their order: `Client/Project/Task` if that text finds exactly this link, otherwise
 * the ID.
 */
export function linkCandidates(links: readonly Link[]): Candidate[] {
  const named = links.map((link) => ({ link, names: pathOf(link) }))
  const ids = new Set(links.map(({ id }) => String(id)))
  const counts = new Map<string, number>()
  for (const { names } of named)
    for (const ending of endingsOf(names)) counts.set(ending, (counts.get(ending) ?? 0) + 1)
  return named.map(({ link, names }) => {
    const path = names.join('/')
    const isUnique = counts.get(path) === 1 && !ids.has(path) && isTypable(path, names)
    return isUnique
      ? { value: path, description: `task ${link.id}` }
      : { value: String(link.id), description: link.label, label: link.label }
  })
}

/** Returns the ends of a path. Typed text is matched with them: `Website/Design` means that project of any client. */
function endingsOf(names: readonly string[]): string[] {
  return names.map((_, index) => names.slice(index).join('/'))
}

/** Whether the path can be typed: it is not an option or a home directory (fish does not quote `~`), and splits into the names. */
function isTypable(path: string, names: readonly string[]): boolean {
  const arePlain = names.every((name) => name === name.replace(/\s+/g, ' ').trim() && !/^$|\//.test(name))
  return arePlain && isInsertable(path) && !/^[-~]/.test(path)
}
