import { TtError } from '../lib/errors.js'
import { fold } from '../lib/nearest-names.js'
import type { Link } from './links.js'

/** Names of a client, a project and a task, from the outside in; `*` or nothing stands for any, or none. */
export interface Pattern {
  /** As it was written. */
  text: string
  /** How much it says: of two that fit the same link, the one that says more counts. A task says more than a project. */
  specificity: number
  matches(link: Link | undefined): boolean
}

/**
 * Reads `Acme`, `Acme/Website`, `Acme/Website/Design`, `*`, or one whose names before the task are all `*`; case and accents do not
 * matter. Throws TtError `usage` for one with more than three names, or an empty one.
 */
export function parsePattern(text: string): Pattern {
  const names = text.split('/').map(fold)
  if (names.length > 3 || names.includes('')) {
    throw new TtError('usage', `"${text}" is no pattern of client/project/task.`, {
      hint: 'Write it like Acme, Acme/Website, Acme/Website/Design or */*/Design.',
    })
  }
  const wanted = names.map((name) => (name === '*' ? undefined : name))
  return {
    text,
    specificity: wanted.reduce((sum, name, index) => sum + (name === undefined ? 0 : 2 ** index), 0),
    matches(link) {
      const path = [link?.client, link?.project, link?.task]
      return wanted.every((name, index) => name === undefined || name === folded(path[index]?.name))
    },
  }
}

function folded(name: string | undefined): string | undefined {
  return name === undefined ? undefined : fold(name)
}
