import { TtError } from '../../lib/errors.js'
import { matchWholeNames, segmentsOf } from '../../lib/text/match-names.js'
import { nearestNames, nearestNamesText } from '../../lib/text/nearest-names.js'
import { type Link, pathOf } from '../../tracking/catalog/links.js'
import { existingLink, type LinkIndex } from './link-index.js'
import type { LinkAssignment, SourceNames } from './staging.js'

/** What the user chose for entries without a task. */
export interface DefaultTask {
  /** The name for entries that have a project. */
  task: string
  /** The project and its client for entries without a project; undefined if only a task was chosen. */
  project?: { client: string | null; name: string } | undefined
  /** The task link for entries without a project and a task. */
  link?: LinkAssignment | undefined
}

/**
 * Parses the task for entries without one: the ID of a task link, Task, Project/Task or Client/Project/Task. Ignores case
 * and accents.
 *
 * Throws TtError `usage` if several task links have these names, and if none has and the profile creates none.
 */
export function parseDefaultTask(text: string, index: LinkIndex): DefaultTask {
  const byId = index.byId(text.trim())
  const segments = segmentsOf(text)
  const [task, project] = segments.toReversed()
  if (!byId && (task === undefined || segments.length > 3)) {
    throw new TtError('usage', `"${text}" is not a task.`, {
      hint: 'Write Task, Project/Task, Client/Project/Task or the ID of a task link.',
    })
  }
  if (!byId && project === undefined) return { task: knownTask(task ?? '', index) }
  const link = byId ? existingLink(byId) : linkNamed(text, segments, index)
  const names = link.kind === 'new' ? link : namesOf(index.byId(link.id))
  return {
    task: names.task ?? '',
    project: names.project === null ? undefined : { client: names.client, name: names.project },
    link,
  }
}

function namesOf(link: Link | undefined): SourceNames {
  const [client, project, task] = [link?.client, link?.project, link?.task].map(
    (named) => named?.name ?? null,
  )
  return { client: client ?? null, project: project ?? null, task: task ?? null, tags: [] }
}

function knownTask(task: string, index: LinkIndex): string {
  if (index.canCreate || index.hasTask(task)) return task
  throw new TtError('usage', `No task is named "${task}".${nearestNamesText(task, index.taskNames)}`, {
    nextStep: { action: 'list', records: 'tasks' },
    candidates: nearestNames(task, index.taskNames),
  })
}

/**
 * Returns the task link that typed text names: an ID, or the whole names of client/project/task; in the local workspace also
 * a new Project/Task or Client/Project/Task.
 *
 * Throws TtError `usage` with the candidates.
 */
export function parseTaskLink(text: string, index: LinkIndex): LinkAssignment {
  const byId = index.byId(text.trim())
  return byId ? existingLink(byId) : linkNamed(text, segmentsOf(text), index)
}

function linkNamed(text: string, segments: readonly string[], index: LinkIndex): LinkAssignment {
  const found = matchWholeNames(text, index.links, pathOf)
  const [only, ...others] = found
  if (only && others.length === 0) return existingLink(only)
  if (only) {
    const labels = found.map(({ label }) => label)
    const shown = labels.slice(0, 8).join('; ')
    throw new TtError(
      'usage',
      `"${text}" matches several tasks: ${shown}${labels.length > 8 ? '; …' : ''}.`,
      {
        hint: 'Write more of the name, or the ID.',
        candidates: labels,
      },
    )
  }
  const [task, project, client = null] = segments.toReversed()
  if (task !== undefined && project !== undefined && segments.length <= 3) {
    const created = index.find({ client, project, task }, false)
    if (created) return created
  }
  const names = index.links.flatMap((link) => [pathOf(link).join('/'), ...pathOf(link)])
  throw new TtError('usage', `"${text}" matches no task.${nearestNamesText(text, names)}`, {
    hint: index.canCreate ? 'Write Project/Task or Client/Project/Task to create one.' : undefined,
    nextStep: { action: 'list', records: 'tasks' },
    candidates: nearestNames(text, names),
  })
}
