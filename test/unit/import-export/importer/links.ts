import { LinkIndex } from '../../../../src/import-export/importer/link-index.js'
import type { LinkAssignment, SourceNames } from '../../../../src/import-export/importer/staging.js'
import { type Link, toLink } from '../../../../src/tracking/catalog/links.js'

/** Returns task links with these paths, such as "Acme/Website/Design"; a path that begins with ! is inactive. IDs count from 1. */
export function linksOf(...paths: string[]): Link[] {
  return paths.map((path, index) => {
    const [task = '', project = '', client] = path.replace('!', '').split('/').toReversed()
    const named = (name: string) => ({ id: name, name })
    return toLink(
      { id: index + 1, project_id: project, task_id: task, active: !path.startsWith('!') },
      client === undefined ? null : named(client),
      named(project),
      named(task),
    )
  })
}

export function localIndex(...paths: string[]): LinkIndex {
  return new LinkIndex(linksOf(...paths), true)
}

export function serviceIndex(...paths: string[]): LinkIndex {
  return new LinkIndex(linksOf(...paths), false)
}

/** Returns names of a source: "Acme/Website/Design" where `-` is a missing name, or tags such as "#a #b". */
export function namesOf(text: string): SourceNames {
  if (text.startsWith('#'))
    return { client: null, project: null, task: null, tags: text.split(' ').map((tag) => tag.slice(1)) }
  const [client = '-', project = '-', task = '-'] = text.split('/')
  const name = (part: string) => (part === '-' ? null : part)
  return { client: name(client), project: name(project), task: name(task), tags: [] }
}

/** Returns an assignment as text: the label of an existing link, or "new Acme/Website/Design". */
export function assignmentText(assignment: LinkAssignment | undefined): string | undefined {
  if (assignment === undefined) return undefined
  if (assignment.kind === 'existing') return assignment.label
  const { client, project, task } = assignment
  return `new ${[client, project, task].filter((name) => name !== null).join('/')}`
}
