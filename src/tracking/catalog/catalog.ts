import { isInconclusive } from '../../api-client/api-errors.js'
import type { Id, TaskLink } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import type { NextStep } from '../../lib/next-step.js'
import { matchInsideWords, matchNames, segmentsOf } from '../../lib/text/match-names.js'
import { fold, nearestNames, suggestionText } from '../../lib/text/nearest-names.js'
import type { CatalogLists } from '../../outbox/cache/snapshots.js'
import { byId, joinLinks, type Link, pathOf, toLink } from './links.js'
import type { Typo } from './new-task.js'
import type { ReferenceReader } from './reference-data.js'

export type { Link, Named } from './links.js'

/** Prompts for choosing or creating a task; the command line words them. */
export interface TaskPrompts {
  selectTask(selection: TaskSelection): Promise<PlannedLink>
}

/** Returns the task that typed text would create; undefined if it exists, or cannot be created. */
export type TaskCreation = (typed: string) => PlannedLink | undefined

interface TaskSelection {
  tasks: readonly PlannedLink[]
  /** Why the typed text is ambiguous; undefined if no text was typed. */
  reason: string | undefined
  /** Returns the task that text typed at the prompt would create; for empty text, the one of the text typed before. */
  creation: TaskCreation
}

/** A link that a typed text names. */
export interface PlannedLink {
  label: string
  /** undefined if the link does not exist yet. */
  id: Id | undefined
  /** Prompts if the link does not exist yet and the user confirms new tasks. Throws an error if the user declines. */
  confirm(): Promise<void>
  /** Returns the link, and creates it if it does not exist yet. Call it within the transaction of the change that needs it. */
  resolve(): Promise<Link>
}

export interface CatalogOptions {
  /** Creates a task link with its missing client, project and task; undefined if the service cannot create any. */
  create?: ((names: LinkNames) => Promise<TaskLink>) | undefined
  /** Returns the name of the task of a project that is typed without a task. */
  defaultTask(): Promise<string>
  /** Throws an error unless the user confirms a new task. With it, `create` is required for each new task. */
  confirmCreation?: ((label: string) => Promise<unknown>) | undefined
  /** Returns the prompts; undefined without a terminal. */
  prompts(): Promise<TaskPrompts | undefined>
  /** Prints a message about a new task, once the transaction that has created it is committed. */
  message(text: string): void
  /** Prints a warning at the same time. */
  warn(text: string, nextStep: NextStep): void
}

/**
 * The task links of a profile, and the search for the link that typed text names. Searches cached reference data of up
 * to an hour; fetches it again before it reports that nothing matches. While the service cannot be reached, it uses
 * cached data of any age.
 */
export class Catalog {
  readonly #reference: ReferenceReader
  readonly #options: CatalogOptions
  #joined: { lists: CatalogLists; links: Link[] } | undefined

  constructor(reference: ReferenceReader, options: CatalogOptions) {
    this.#reference = reference
    this.#options = options
  }

  /** Returns all task links of the user sorted by label, including inactive ones. */
  async links(): Promise<Link[]> {
    return this.#join(await this.#reference.recent('catalog'))
  }

  /**
   * Returns task links by ID, including those with the given IDs that exist. Empty if nothing is cached and the service
   * cannot be reached.
   */
  async linksOf(ids: Iterable<Id | null>): Promise<Map<string, Link>> {
    const linkIds = [...ids].filter((id) => id !== null)
    if (linkIds.length === 0) return new Map()
    try {
      const lists = await this.#reference.catalogWith('links', linkIds)
      return byId(this.#join(lists))
    } catch (error) {
      // Entries without names are better than an error.
      if (isInconclusive(error)) return new Map()
      throw error
    }
  }

  /** Returns the label of a link from cached data of any age; undefined if it is not known. */
  knownLabel(id: Id | null): string | undefined {
    const lists = this.#reference.cached('catalog')
    return lists && this.#join(lists).find((link) => String(link.id) === String(id))?.label
  }

  async byId(id: Id | null): Promise<Link | undefined> {
    return id === null ? undefined : (await this.linksOf([id])).get(String(id))
  }

  /** Marks the cached links as outdated, after the service has rejected one of them. */
  invalidate(): void {
    this.#reference.invalidate('catalog')
  }

  /**
   * Plans the active task link that the typed text names: an ID, parts of client/project/task, or a project alone, which
   * means its default task, else its only one.
   *
   * If the service can create links, plans `Project`, `Project/Task` or `Client/Project/Task` that matches nothing. Prompts
   * for a probable typo of an existing name; without prompts, plans it with a warning, but no project without a task. With
   * `create`, plans what does not exist without matching parts of names. If the user confirms new tasks, plans them
   * only with `create`. If nothing is cached and the service cannot be reached, an ID becomes a link without names.
   *
   * Throws TtError `usage` with the candidates or the nearest names, and `unreachable`.
   */
  async plan(typed: string, { create = false } = {}): Promise<PlannedLink> {
    try {
      return await this.#find(typed, create)
    } catch (error) {
      const link = isInconclusive(error) ? linkWithoutNames(typed) : undefined
      if (link) return existingLink(link)
      throw error
    }
  }

  /** Prompts for a task, recently used ones first, and creates none. Throws TtError `usage` without a terminal. */
  async pick(): Promise<PlannedLink> {
    const prompts = await this.#options.prompts()
    if (!prompts) {
      throw new TtError('usage', 'No task was given.', { nextStep: this.#chooseTask })
    }
    const cached = await this.#active()
    const active = cached.length > 0 ? cached : await this.#activeNow()
    if (active.length === 0 && !this.#options.create) throw this.#unknown('', [])
    const used = (await this.#mostUsed()).map((link) => String(link.id))
    const rank = (link: Link) =>
      used.includes(String(link.id)) ? used.indexOf(String(link.id)) : used.length
    const tasks = active.sort((a, b) => rank(a) - rank(b)).map(existingLink)
    return prompts.selectTask({ tasks, reason: undefined, creation: await this.creation() })
  }

  /** Returns a function that finds the task that typed text would create. */
  async creation(): Promise<TaskCreation> {
    if (!this.#options.create) return () => undefined
    const { namesToCreate } = await import('./new-task.js')
    const lists = await this.#reference.recent('catalog')
    const [links, defaultTask] = [this.#join(lists), await this.#options.defaultTask()]
    return (typed) => {
      try {
        const names = namesToCreate(typed, lists, defaultTask)
        const isNew = names && !links.some(({ label }) => label === labelOf(names))
        return isNew ? this.#new(names) : undefined
      } catch (error) {
        // Several clients have the project.
        if (error instanceof TtError) return undefined
        throw error
      }
    }
  }

  async #find(typed: string, create: boolean): Promise<PlannedLink> {
    const matchesIn = (links: Link[]) => {
      const byId = links.find((link) => String(link.id) === typed.trim())
      if (byId) return [byId]
      return create ? [] : matchNames(typed, links, pathOf)
    }
    let links = await this.#active()
    let matches = matchesIn(links)
    if (matches.length === 0) {
      links = await this.#activeNow()
      matches = matchesIn(links)
    }
    const [first] = matches
    if (first && matches.length === 1) return existingLink(first)
    if (first) {
      const task = await this.#defaultOf(typed, matches)
      return task ? existingLink(task) : this.#pick(typed, matches, 'matches several tasks')
    }
    if (create) return this.#exactOrNew(typed, links)
    const inside = matchInsideWords(typed, links, pathOf)
    return inside.length > 0
      ? this.#pick(typed, inside, 'matches only inside a word')
      : this.#missing(typed, links)
  }

  /** Returns the default task of the one project that the text names; undefined if it names something else, too. */
  async #defaultOf(typed: string, matches: readonly Link[]): Promise<Link | undefined> {
    const projects = new Set(matches.map(({ project }) => String(project?.id)))
    if (projects.size > 1 || !matches.every((link) => isProject(typed, link))) return undefined
    const name = fold(await this.#options.defaultTask())
    return matches.find(({ task }) => fold(task?.name ?? '') === name)
  }

  async #active(): Promise<Link[]> {
    return (await this.links()).filter((link) => link.active)
  }

  /** Fetches the active links again; warns about their age if the service cannot be reached. */
  async #activeNow(): Promise<Link[]> {
    return this.#join(await this.#reference.current('catalog')).filter((link) => link.active)
  }

  #join(lists: CatalogLists): Link[] {
    if (this.#joined?.lists !== lists) this.#joined = { lists, links: joinLinks(lists) }
    return this.#joined.links
  }

  /** Returns the most used links; none if the service cannot be reached. */
  async #mostUsed(): Promise<TaskLink[]> {
    try {
      return await this.#reference.recent('frequent')
    } catch (error) {
      if (isInconclusive(error)) return []
      throw error
    }
  }

  /** @param problem completes the sentence that begins with the typed text: "matches several tasks" */
  async #pick(typed: string, candidates: Link[], problem: string): Promise<PlannedLink> {
    const reason = `"${typed}" ${problem}`
    const picked = await this.#prompt(typed, candidates, reason)
    if (picked) return picked
    throw new TtError('usage', `${reason}: ${joinLabels(candidates.map(({ label }) => label))}.`, {
      hint: 'Write more of the name, or the ID.',
      nextStep: this.#chooseTask,
      candidates: candidates.map(({ label }) => label),
    })
  }

  /** Prompts for one of the links, or for a task to create; undefined without prompts. */
  async #prompt(
    typed: string,
    links: readonly Link[],
    reason: string,
    corrected?: string,
  ): Promise<PlannedLink | undefined> {
    const prompts = await this.#options.prompts()
    if (!prompts) return undefined
    const creation = await this.creation()
    const correctedTask = corrected === undefined || links.length > 0 ? undefined : creation(corrected)
    return prompts.selectTask({
      tasks: correctedTask ? [correctedTask] : links.map(existingLink),
      reason,
      creation: (text) => creation(text.trim() || typed),
    })
  }

  get #chooseTask(): NextStep {
    return { action: 'choose_task', canCreate: this.#options.create !== undefined }
  }

  async #exactOrNew(typed: string, links: Link[]): Promise<PlannedLink> {
    const names = await this.#namesOf(typed)
    const link = links.find((link) => link.label === labelOf(names))
    return link ? existingLink(link) : this.#new(names)
  }

  async #missing(typed: string, links: Link[]): Promise<PlannedLink> {
    const { create, confirmCreation } = this.#options
    if (!create) throw this.#unknown(typed, links)
    const lists = await this.#reference.recent('catalog')
    const { meaningOf, namesToCreate } = await import('./new-task.js')
    const names = namesToCreate(typed, lists, await this.#options.defaultTask())
    if (!names) throw this.#unknown(typed, links, { canCreate: false })
    const { typos, isOtherName, isMeant, corrected } = meaningOf(typed, names, lists)
    const [typo] = typos
    if (isOtherName || (!typo && confirmCreation)) throw this.#unknown(typed, links)
    if (!typo) return this.#new(names)
    const reason = `"${typo.typed}" is probably a typo of the ${typo.level} "${typo.known}"`
    const picked = await this.#prompt(typed, links.filter(isMeant), reason, corrected)
    if (picked) return picked
    if (segmentsOf(typed).length > 1 && !confirmCreation) return this.#new(names, typos)
    throw new TtError('usage', `${reason}.`, {
      nextStep: { action: 'correct_or_create', typed: typo.typed, known: typo.known },
      candidates: [typo.known],
    })
  }

  #new(names: LinkNames, typos: readonly Typo[] = []): PlannedLink {
    return {
      label: labelOf(names),
      id: undefined,
      confirm: async () => void (await this.#options.confirmCreation?.(labelOf(names))),
      resolve: async () => {
        const link = await this.#create(names)
        for (const { level, typed, known } of typos)
          this.#options.warn(`"${typed}" is probably a typo of the ${level} "${known}".`, {
            action: 'merge',
            records: `${level}s`,
            from: typed,
            into: known,
          })
        return link
      },
    }
  }

  async #create(names: LinkNames): Promise<Link> {
    const id = (await this.#options.create?.(names))?.id
    this.invalidate()
    const created = (await this.links()).find((link) => String(link.id) === String(id))
    // The change may fail, and the link is not created then.
    this.invalidate()
    if (!created) throw new TtError('failure', `${labelOf(names)} was created but is not among the tasks.`)
    this.#options.message(`Created ${created.label}.`)
    return created
  }

  /** Returns the names of the task that `--create` creates. */
  async #namesOf(typed: string): Promise<LinkNames> {
    if (!this.#options.create) {
      throw new TtError('usage', 'Tasks can be created in the local workspace only.', {
        hint: 'Ask an administrator of the service to add the task.',
        nextStep: this.#chooseTask,
      })
    }
    const { namesToCreate } = await import('./new-task.js')
    const lists = await this.#reference.recent('catalog')
    const names = namesToCreate(typed, lists, await this.#options.defaultTask())
    if (names) return names
    throw new TtError('usage', `"${typed}" does not name a task to create.`, {
      hint: 'Write Project, Project/Task or Client/Project/Task.',
    })
  }

  /** @param canCreate whether `--create` would create what the text names; false for an ID or a reference */
  #unknown(typed: string, links: Link[], { canCreate = this.#options.create !== undefined } = {}): TtError {
    if (links.length === 0) {
      const problem = typed === '' ? '' : `"${typed}" matches no task: `
      const solution = this.#options.create
        ? ({ nextStep: { action: 'create_task' } } as const)
        : { hint: 'Ask an administrator of the service to add a task.' }
      return new TtError('usage', `${problem}${problem === '' ? 'There' : 'there'} are no tasks.`, solution)
    }
    const similar = nearestNames(
      typed,
      links.flatMap((link) => [...pathOf(link), link.label]),
    )
    const candidates = similar.length > 0 ? similar : labelsWithSameNames(typed, links)
    return new TtError('usage', `"${typed}" matches no task.${suggestionText(candidates)}`, {
      nextStep: { action: 'choose_task', canCreate },
      candidates,
    })
  }
}

/** Returns a link with the ID alone; undefined if the text is not a number. */
function linkWithoutNames(typed: string): Link | undefined {
  const text = typed.trim()
  if (!/^\d+$/.test(text)) return undefined
  const id = String(Number(text)) === text ? Number(text) : text
  return toLink({ id, project_id: null, task_id: null }, null, null, null)
}

/** Whether the typed text is the name of the project of the link, or Client/Project, and no name of its client or task. */
function isProject(typed: string, { client, project, task }: Link): boolean {
  const names = segmentsOf(typed).map(fold)
  const [clientName, projectName, taskName] = [client, project, task].map((named) => fold(named?.name ?? ''))
  if (names.length === 2) return names[0] === clientName && names[1] === projectName
  const [name, ...others] = names
  return others.length === 0 && name === projectName && ![clientName, taskName].includes(name)
}

/** Joins up to 8 labels; adds the number of the others. */
function joinLabels(labels: string[]): string {
  const shown = labels.slice(0, 8)
  const more = labels.length - shown.length
  return more > 0 ? `${shown.join('; ')}; or ${more} more` : shown.join('; ')
}

export function existingLink(link: Link): PlannedLink {
  return { label: link.label, id: link.id, confirm: async () => {}, resolve: async () => link }
}

/** The names for a new link; without a client, it is an internal project. */
export interface LinkNames {
  client?: string
  project: string
  task: string
}

/** Returns the label of a link with these names. */
function labelOf({ client, project, task }: LinkNames): string {
  return [client, project, task].filter((name) => name !== undefined).join(' / ')
}

/** Returns the labels of up to three links with the most names in common with typed text such as Project/Task. */
function labelsWithSameNames(typed: string, links: readonly Link[]): string[] {
  const names = segmentsOf(typed).map(fold)
  return links
    .map((link) => ({
      label: link.label,
      count: pathOf(link).filter((name) => names.includes(fold(name))).length,
    }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, 3)
    .map(({ label }) => label)
}
