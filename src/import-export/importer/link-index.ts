import type { Id } from '../../api-client/types.js'
import { fold, nearestNames } from '../../lib/text/nearest-names.js'
import type { ClientState } from '../../outbox/cache/client-state.js'
import type { Link } from '../../tracking/catalog/links.js'
import type { LinkAssignment, SourceNames } from './staging.js'

/** The names of a task link; `client` is null if it is unknown or the project has none. */
export interface LinkPath {
  client: string | null
  project: string
  task: string
}

/** Finds the task link with exactly these names, ignoring case and accents; or says which one would be new. */
export class LinkIndex {
  /** The active task links. */
  readonly links: readonly Link[]
  /** Whether the profile creates task links that do not exist. */
  readonly canCreate: boolean
  readonly #byNames = new Map<string, Link[]>()
  readonly #byProject = new Map<string, Link[]>()
  readonly #archived = new Set<string>()
  readonly #byId = new Map<string, Link>()
  /** The names of clients, projects and tasks as the profile writes them, by their folded form. */
  readonly #clients = new Map<string, string>()
  readonly #projects = new Map<string, { name: string; clients: Set<string | null> }>()
  readonly #tasks = new Map<string, string>()

  /** @param canCreate whether the profile is the local workspace */
  constructor(links: readonly Link[], canCreate: boolean) {
    this.links = links.filter(({ active }) => active)
    this.canCreate = canCreate
    for (const link of this.links) this.#add(link)
    for (const { active, project, task } of links)
      if (!active && project && task) this.#archived.add(keyOf(project.name, task.name))
  }

  #add(link: Link) {
    this.#byId.set(String(link.id), link)
    const { client, project, task } = link
    if (!project || !task) return
    append(this.#byNames, keyOf(project.name, task.name), link)
    append(this.#byProject, fold(project.name), link)
    if (client) setFirst(this.#clients, client.name)
    setFirst(this.#tasks, task.name)
    const known = this.#projects.get(fold(project.name)) ?? { name: project.name, clients: new Set() }
    known.clients.add(client?.name ?? null)
    this.#projects.set(fold(project.name), known)
  }

  byId(id: string | number): Link | undefined {
    return this.#byId.get(String(id))
  }

  hasTask(name: string): boolean {
    return this.#tasks.has(fold(name))
  }

  get taskNames(): string[] {
    return [...this.#tasks.values()]
  }

  /**
   * Returns the task link with these names, or the names of the one to create; undefined if several links have the names, or
   * none and the profile creates none.
   *
   * @param hasClients whether the source says which projects have a client: a project without one then is the project
   *   without a client, if there is such a project
   */
  find(path: LinkPath, hasClients: boolean): LinkAssignment | undefined {
    const named = this.#byNames.get(keyOf(path.project, path.task)) ?? []
    const found = ofClient(named, path.client, hasClients)
    if (found.length > 0) return found.length === 1 ? existingLink(found[0] as Link) : undefined
    const canCreate = this.canCreate && !this.isArchived(path)
    return canCreate ? this.#toCreate(path, hasClients) : undefined
  }

  /**
   * Returns the task link of a project without a task: the default task, else the only task, else the default task to
   * create. undefined if the project has several other tasks, and like `find`.
   */
  findDefault(path: LinkPath, hasClients: boolean): LinkAssignment | undefined {
    const tasks = ofClient(this.#byProject.get(fold(path.project)) ?? [], path.client, hasClients)
    const [only, ...others] = tasks
    if (!only || tasks.some(({ task }) => isSame(task?.name, path.task))) return this.find(path, hasClients)
    return others.length === 0 ? existingLink(only) : undefined
  }

  /** Whether an archived task link has this project and task. */
  isArchived({ project, task }: { project: string | null; task: string | null }): boolean {
    return project !== null && task !== null && this.#archived.has(keyOf(project, task))
  }

  #toCreate({ client, project, task }: LinkPath, hasClients: boolean): LinkAssignment | undefined {
    const known = this.#projects.get(fold(project))
    const names = {
      client: client === null ? null : (this.#clients.get(fold(client)) ?? client),
      project: known?.name ?? project,
      task: this.#tasks.get(fold(task)) ?? task,
    }
    if (client !== null || !known) return { kind: 'new', ...names }
    const [only, ...others] = known.clients
    if (others.length === 0) return { kind: 'new', ...names, client: only ?? null }
    return hasClients && known.clients.has(null) ? { kind: 'new', ...names } : undefined
  }
}

/**
 * Returns the links of the client. Without a client, returns all; those without one if the source has clients and there
 * are any.
 */
function ofClient(links: readonly Link[], client: string | null, hasClients: boolean): readonly Link[] {
  if (client !== null) return links.filter((link) => isSame(link.client?.name, client))
  const internal = links.filter((link) => link.client === null)
  return hasClients && internal.length > 0 ? internal : links
}

export function existingLink({ id, label }: Link): LinkAssignment {
  return { kind: 'existing', id, label }
}

function keyOf(project: string, task: string): string {
  return JSON.stringify([fold(project), fold(task)])
}

function isSame(name: string | undefined, other: string): boolean {
  return name !== undefined && fold(name) === fold(other)
}

function append(links: Map<string, Link[]>, key: string, link: Link) {
  const known = links.get(key)
  if (known) known.push(link)
  else links.set(key, [link])
}

function setFirst(names: Map<string, string>, name: string) {
  if (!names.has(fold(name))) names.set(fold(name), name)
}

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

/** Returns the task links that the user chose in earlier imports, by `namesKey`. Links that no longer exist are omitted. */
export function readChoices(state: ClientState, index: LinkIndex): Map<string, LinkAssignment> {
  const rows = state.database.prepare('SELECT names, task_link FROM import_choice').all() as {
    names: string
    task_link: string
  }[]
  const choices = new Map<string, LinkAssignment>()
  for (const { names, task_link } of rows) {
    const link = index.byId(JSON.parse(task_link) as Id)
    if (link) choices.set(names, existingLink(link))
  }
  return choices
}

/** Stores the task link that the user chose for the names with this `namesKey`. */
export function storeChoice(state: ClientState, key: string, link: Id): void {
  state.database
    .prepare('INSERT OR REPLACE INTO import_choice (names, task_link) VALUES (?, ?)')
    .run([key, JSON.stringify(link)])
}
