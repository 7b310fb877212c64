import type { Api } from '../api/endpoints.js'
import type { Id, NamedRecord, TaskLink } from '../api/types.js'
import { TtError } from '../errors.js'
import { fold, isNear, match, nearest, segmentsOf } from './matching.js'

/** A record as a person knows it. */
export interface Named {
  id: Id
  name: string
}

/** A task link joined with the names of its client, project and task. */
export interface Link {
  id: Id
  client: Named | null
  project: Named | null
  task: Named | null
  active: boolean
  /** "Acme / Website / Design" */
  label: string
  wire: TaskLink
}

/** The names of a link that is to be made: without a client, the project is the company's own. */
export interface LinkNames {
  client?: string
  project: string
  task: string
}

/** The questions that finding a task may raise. */
export interface Questions {
  select<Value>(message: string, choices: readonly { name: string; value: Value }[]): Promise<Value>
  confirm(message: string): Promise<boolean>
}

export interface CatalogOptions {
  /** Makes a link and whatever it lacks: only the local workspace can. */
  create?: ((names: LinkNames) => Promise<unknown>) | undefined
  /** Asks a person; undefined where nobody can answer. */
  prompts(): Promise<Questions | undefined>
  say(text: string): void
}

/** What time can be tracked on, and how a typed word finds it. Read from the service once, when first needed. */
export class Catalog {
  readonly #api: Api
  readonly #options: CatalogOptions
  #links: Promise<Link[]> | undefined

  constructor(api: Api, options: CatalogOptions) {
    this.#api = api
    this.#options = options
  }

  /** Every link the user can see, inactive ones too, by label. */
  links(): Promise<Link[]> {
    this.#links ??= readLinks(this.#api)
    return this.#links
  }

  async byId(id: Id | null): Promise<Link | undefined> {
    if (id === null) return undefined
    return (await this.links()).find((link) => String(link.id) === String(id))
  }

  /**
   * The one active link that the typed text means: an id, or words of client/project/task.
   *
   * Where links can be made, `Project/Task` or `Client/Project/Task` that has no near match is made; with `create`
   * also in spite of one. Throws TtError `usage` with the candidates or the nearest names.
   */
  async find(typed: string, { create = false } = {}): Promise<Link> {
    const links = (await this.links()).filter((link) => link.active)
    const byId = links.find((link) => String(link.id) === typed.trim())
    if (byId) return byId
    if (create) return this.#exactOrNew(typed, links)
    const found = match(typed, links, pathOf)
    if (found.length > 1) return this.#pick(typed, found)
    return found[0] ?? this.#missing(typed, links)
  }

  /** Asks which task is meant, those used most in the last days first. Throws TtError `usage` where nobody can answer. */
  async pick(): Promise<Link> {
    const prompts = await this.#options.prompts()
    if (!prompts) throw new TtError('usage', 'Which task?', { hint: 'Give a TASK: `tt links` lists them.' })
    const active = (await this.links()).filter((link) => link.active)
    if (active.length === 0) throw this.#unknown('', [])
    const used = (await this.#api.mostUsedTasks()).map((link) => String(link.id))
    const rank = (link: Link) =>
      used.includes(String(link.id)) ? used.indexOf(String(link.id)) : used.length
    return choose(
      prompts,
      'Which task?',
      active.sort((a, b) => rank(a) - rank(b)),
    )
  }

  async #pick(typed: string, found: Link[]): Promise<Link> {
    const prompts = await this.#options.prompts()
    if (prompts) return choose(prompts, `"${typed}" may be:`, found)
    throw new TtError('usage', `"${typed}" may be ${listed(found.map(({ label }) => label))}.`, {
      hint: 'Write more of it, or its id: `tt links` lists them.',
    })
  }

  async #exactOrNew(typed: string, links: Link[]): Promise<Link> {
    const names = adopted(this.#namesOf(typed), links)
    return links.find((link) => link.label === labelOf(names)) ?? this.#make(names)
  }

  async #missing(typed: string, links: Link[]): Promise<Link> {
    const wanted = this.#options.create ? namesIn(typed) : undefined
    if (!wanted) throw this.#unknown(typed, links)
    const names = adopted(wanted, links)
    const near = nearNames(names, links)
    if (!near) return this.#make(names)
    const intended = `${near.typed} is close to "${near.known}", which exists`
    const prompts = await this.#options.prompts()
    if (await prompts?.confirm(`${intended}. Create ${labelOf(names)} all the same?`))
      return this.#make(names)
    throw new TtError('usage', `${intended}.`, {
      hint: `Write "${near.known}", or add --create if ${near.typed} is meant.`,
    })
  }

  async #make(names: LinkNames): Promise<Link> {
    await this.#options.create?.(names)
    this.#links = undefined
    const made = (await this.links()).find((link) => link.label === labelOf(names))
    if (!made) throw new TtError('failure', `${labelOf(names)} was created but is not among the task links.`)
    this.#options.say(`Created ${made.label}.`)
    return made
  }

  #namesOf(typed: string): LinkNames {
    if (!this.#options.create) {
      throw new TtError(
        'usage',
        'This service has no way to create a task: --create is for the local workspace.',
        {
          hint: 'Whoever administers the service can add it. `tt links` lists what is there.',
        },
      )
    }
    const names = namesIn(typed)
    if (names) return names
    throw new TtError('usage', `"${typed}" does not say what to create.`, {
      hint: 'Write Project/Task or Client/Project/Task.',
    })
  }

  #unknown(typed: string, links: Link[]): TtError {
    const names = links.flatMap((link) => [...pathOf(link), link.label])
    const close = nearest(typed, names)
    const creates = this.#options.create ? ' Project/Task makes a new one.' : ''
    if (links.length === 0) {
      return new TtError('usage', `"${typed}" matches no task: there is none that time can be tracked on.`, {
        hint: this.#options.create
          ? 'Write Project/Task, such as `tt start Website/Design`, to make one.'
          : 'Whoever administers the service can add one.',
      })
    }
    const told = close.length > 0 ? ` Nearest: ${close.join(', ')}.` : ''
    return new TtError('usage', `"${typed}" matches no task.${told}`, {
      hint: `\`tt links\` lists them.${creates}`,
    })
  }
}

function choose(prompts: Questions, message: string, links: Link[]): Promise<Link> {
  return prompts.select(
    message,
    links.map((link) => ({ name: link.label, value: link })),
  )
}

/** The names of a link from the outside in, as matching takes them. */
export function pathOf(link: Link): string[] {
  return [link.client, link.project, link.task].flatMap((named) => (named ? [named.name] : []))
}

async function readLinks(api: Api): Promise<Link[]> {
  const [links, projects, clients, tasks] = await Promise.all([
    api.listTaskLinks(),
    api.listProjects(),
    api.listClients(),
    api.listTasks(),
  ])
  const [projectById, clientById, taskById] = [byId(projects), byId(clients), byId(tasks)]
  return links
    .map((wire) => {
      const project = projectById.get(String(wire.project_id)) ?? nested(wire.project)
      const task = taskById.get(String(wire.task_id)) ?? nested(wire.task)
      const clientId = project?.client_id ?? nested(project?.client)?.id
      const client = clientById.get(String(clientId)) ?? nested(project?.client)
      return linkOf(wire, named(client), named(project), named(task), project?.active !== false)
    })
    .sort((a, b) => (a.label < b.label ? -1 : 1))
}

/** A task link with the names that go with it. */
export function linkOf(
  wire: TaskLink,
  client: Named | null,
  project: Named | null,
  task: Named | null,
  projectActive = true,
): Link {
  const names = [client, project, task].flatMap((record) => (record ? [record.name] : []))
  return {
    id: wire.id,
    client,
    project,
    task,
    active: wire.active !== false && projectActive,
    label: names.length > 0 ? names.join(' / ') : `Task link ${wire.id}`,
    wire,
  }
}

function byId<Row extends NamedRecord>(records: Row[]): Map<string, NamedRecord> {
  return new Map(records.map((record) => [String(record.id), record]))
}

function named(record: NamedRecord | undefined): Named | null {
  return record ? { id: record.id, name: record.name } : null
}

/** Reference data that a service nests instead of listing it. */
function nested(value: unknown): NamedRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, name } = value as { id?: unknown; name?: unknown }
  if ((typeof id !== 'number' && typeof id !== 'string') || typeof name !== 'string') return undefined
  return { ...value, id, name }
}

function namesIn(typed: string): LinkNames | undefined {
  const segments = segmentsOf(typed)
  const [first, second, third] = segments
  if (segments.length === 2 && first && second) return { project: first, task: second }
  if (segments.length === 3 && first && second && third)
    return { client: first, project: second, task: third }
  return undefined
}

function labelOf({ client, project, task }: LinkNames): string {
  return [client, project, task].filter((name) => name !== undefined).join(' / ')
}

/**
 * The names as they are spelled already: "website" is the project "Website", and the project of a client is found
 * without naming the client. Throws TtError `usage` where several clients have a project of that name.
 */
function adopted(names: LinkNames, links: Link[]): LinkNames {
  const spelled = (level: 'client' | 'project' | 'task', name: string) =>
    links.find((link) => fold(link[level]?.name ?? '') === fold(name))?.[level]?.name ?? name
  const project = spelled('project', names.project)
  const task = spelled('task', names.task)
  if (names.client !== undefined) return { client: spelled('client', names.client), project, task }
  const owners = [
    ...new Set(links.filter((link) => link.project?.name === project).map((link) => link.client?.name)),
  ]
  const [owner] = owners
  if (owners.length === 0 || owners.includes(undefined) || owner === undefined) return { project, task }
  if (owners.length === 1) return { client: owner, project, task }
  throw new TtError('usage', `Several clients have a project "${project}": ${owners.join(', ')}.`, {
    hint: `Write Client/${project}/${task}.`,
  })
}

/** The first name that looks like a slip of one that exists at its level. */
function nearNames(names: LinkNames, links: Link[]): { typed: string; known: string } | undefined {
  for (const level of ['client', 'project', 'task'] as const) {
    const typed = names[level]
    if (typed === undefined) continue
    const known = [...new Set(links.flatMap((link) => link[level]?.name ?? []))]
    const near = known.find((name) => isNear(typed, name))
    if (near !== undefined && !known.includes(typed)) return { typed: `"${typed}"`, known: near }
  }
  return undefined
}

function listed(labels: string[]): string {
  const most = 8
  const shown = labels.slice(0, most)
  const more = labels.length - shown.length
  return more > 0 ? `${shown.join('; ')}; or ${more} more` : shown.join('; ')
}
