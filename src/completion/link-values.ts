import { type Link, pathOf } from '../catalog/links.js'
import { type Candidate, isInsertable } from './candidates.js'

/**
 * Links as one types them, in their order: `Client/Project/Task` where `tt start` finds that one link by it, otherwise
 * its id.
 */
export function linkCandidates(links: readonly Link[]): Candidate[] {
  const named = links.map((link) => ({ link, names: pathOf(link) }))
  const ids = new Set(links.map(({ id }) => String(id)))
  const times = new Map<string, number>()
  for (const { names } of named)
    for (const ending of endingsOf(names)) times.set(ending, (times.get(ending) ?? 0) + 1)
  return named.map(({ link, names }) => {
    const path = names.join('/')
    const isClear = times.get(path) === 1 && !ids.has(path) && isTypable(path, names)
    return isClear
      ? { value: path, description: `task link ${link.id}` }
      : { value: String(link.id), description: link.label, label: link.label }
  })
}

/** What is typed is compared with the ends of paths: `Website/Design` is of every client that has such a project. */
function endingsOf(names: readonly string[]): string[] {
  return names.map((_, index) => names.slice(index).join('/'))
}

/** Whether it is a word that is no option and no home (fish quotes no `~`), and is taken apart again into these names. */
function isTypable(path: string, names: readonly string[]): boolean {
  const areWhole = names.every((name) => name === name.replace(/\s+/g, ' ').trim() && !/^$|\//.test(name))
  return areWhole && isInsertable(path) && !/^[-~]/.test(path)
}
