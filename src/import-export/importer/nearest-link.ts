import { fold, nearestNames } from '../../lib/text/nearest-names.js'
import type { Link } from '../../tracking/catalog/links.js'
import type { SourceNames } from './staging.js'

/** How much an equal name counts: a link of the right project is nearer than one of the right client and task. */
const weights = { project: 4, client: 2, task: 1 } as const

/** Returns the task link whose names are most similar to those of the source; undefined if none is similar. */
export function nearestLink(names: SourceNames, links: readonly Link[]): Link | undefined {
  const tags = new Set(names.tags.map((tag) => fold(tag)))
  const isEqual = (level: keyof typeof weights, link: Link) => {
    const name = link[level] && fold(link[level].name)
    return name !== null && (tags.has(name) || name === fold(names[level] ?? ''))
  }
  const scoreOf = (link: Link) =>
    (['project', 'client', 'task'] as const).reduce(
      (sum, level) => sum + (isEqual(level, link) ? weights[level] : 0),
      0,
    )
  const scored = links.map((link) => ({ link, score: scoreOf(link) })).sort((a, b) => b.score - a.score)
  const [best] = scored
  if (best && best.score > 0) return best.link
  const { client, project, task } = names
  const words = [client, project, task, ...names.tags].filter((name) => name !== null)
  const labels = links.map(({ label }) => label)
  const [nearest] = nearestNames(words.join(' / '), labels, 1)
  return links.find(({ label }) => label === nearest)
}

/** Returns names for display: "Acme / Website / Design", "tags front end, urgent", or "entries without project or tags". */
export function namesText({ client, project, task, tags }: SourceNames): string {
  const path = [client, project, task].filter((name) => name !== null).join(' / ')
  const parts = [path, tags.length > 0 ? `tags ${tags.join(', ')}` : ''].filter((part) => part !== '')
  return parts.length === 0 ? 'entries without project or tags' : parts.join(', ')
}
