import { fold } from '../../lib/text/nearest-names.js'

/** The names of a client, a project and a task. `*` and a missing name match every name, an empty client only none. */
export type Path = readonly string[]

/** A record before and after it was renamed or merged; `null` for a project without a client. */
export interface NameChange {
  from: readonly (string | null)[]
  to: readonly (string | null)[]
}

const levels = 3

/** Converts the end of a path, such as Project/Task, to one of all levels. */
export function pathOfTask(names: Path): Path {
  return [...Array<string>(Math.max(0, levels - names.length)).fill('*'), ...names]
}

/**
 * Returns a path with the new names; undefined if it does not name the changed record itself. A task that was changed in all
 * projects has no client and no project.
 */
export function renamePath(path: Path, { from, to }: NameChange): Path | undefined {
  const last = from.length - 1
  const isOfAllProjects = from.length === levels && from[1] === null
  const isNamed = from.every((name, level) => {
    const typed = path[level] ?? '*'
    if (typed === '*') return level < last
    if (typed === '') return name === null
    return (level < last && isOfAllProjects) || (name !== null && fold(name) === fold(typed))
  })
  if (!isNamed) return undefined
  return path.map((typed, level) => {
    const isChanged = level < to.length && from[level] !== to[level] && typed !== '*'
    return isChanged ? (to[level] ?? '*') : typed
  })
}

/** Whether a path matches one of these records, each with the names of its client, project and task. */
export function matchesAny(path: Path, records: readonly (readonly (string | null)[])[]): boolean {
  return records.some((names) =>
    path.every((typed, level) => {
      const name = names[level]
      if (typed === '*' || typed === '') return typed === '*' || name === null
      return typeof name === 'string' && fold(name) === fold(typed)
    }),
  )
}
