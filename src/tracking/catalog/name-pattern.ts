import { TtError } from '../../lib/errors.js'
import { isPattern } from '../../lib/text/match-names.js'
import { fold } from '../../lib/text/nearest-names.js'
import type { Link } from './links.js'

/** A pattern of client, project and task names. `*` and missing names match every name, or none; an empty client only none. */
export interface Pattern {
  /** The original text. */
  text: string
  /** The precedence: of two patterns that match a link, the one with the higher specificity applies. Tasks count most. */
  specificity: number
  matches(link: Link | undefined): boolean
}

/**
 * Parses a pattern such as `Acme`, `Acme/Website`, `Acme/Website/Design` or `*`; any name can be `*`. `/Website` is a
 * project without a client. Ignores case and accents. Throws TtError `usage` for more than three names, or another empty name.
 */
export function parsePattern(text: string): Pattern {
  const names = text.split('/').map(fold)
  if (!isPattern(names)) {
    throw new TtError('usage', `"${text}" is not a pattern of client/project/task.`, {
      hint: 'Examples: Acme, Acme/Website, Acme/Website/Design, */*/Design; /Website without a client.',
    })
  }
  const expected = names.map((name) => (name === '*' ? undefined : name))
  return {
    text,
    specificity: expected.reduce((sum, name, index) => sum + (name === undefined ? 0 : 2 ** index), 0),
    matches(link) {
      const path = [link?.client, link?.project, link?.task]
      return expected.every((name, index) => name === undefined || name === fold(path[index]?.name ?? ''))
    },
  }
}
