import { isInconclusive } from '../api-client/api-errors.js'
import type { Id, TaskLink } from '../api-client/types.js'
import { TtError } from '../lib/errors.js'
import type { NextStep } from '../lib/next-step.js'
import { matchInsideWords, matchNames } from '../lib/text/match-names.js'
import { nearestNames, suggestionText } from '../lib/text/nearest-names.js'
import {
  type LinkNames,
  labelOf,
  labelsWithSameNames,
  nearestLinkNames,
  parseLinkNames,
  withExistingNames,
} from './link-names.js'
import { byId, joinLinks, type Link, pathOf, toLink } from './links.js'
import type { CatalogLists, ReferenceReader } from './reference-data.js'

export type { Link, Named } from './links.js'

/** Prompts for choosing or creating a task; the command line words them. */
export interface TaskPrompts {
  /** Prompts for one of the links. `reason` says why the typed text is ambiguous; undefined if no text was typed. */
  selectTask(links: readonly Link[], reason?: string): Promise<Link>
  /** Prompts whether to create a task with that label. `reason` names the similar name that exists. */
  confirmCreate(label: string, reason: string): Promise<boolean>
}

/** A link that a typed text names. */
export interface PlannedLink {
  label: string
  /** undefined if the link does not exist yet. */
  id: Id | undefined
  /** Returns the link, and creates it if it does not exist yet; `isConfirmed` if the user has confirmed this. */
  resolve(options?: { isConfirmed?: boolean }): Promise<Link>
}

export interface CatalogOptions {
  /** Creates a task link with its missing client, project and task; undefined if the service cannot create any. */
  create?: ((names: LinkNames) => Promise<unknown>) | undefined
  /** Throws an error unless the user confirms a new task. With it, `create` is required for each new task. */
  confirmCreation?: ((label: string) => Promise<unknown>) | undefined
  /** Returns the prompts; undefined without a terminal. */
  prompts(): Promise<TaskPrompts | undefined>
  message(text: string): void
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

  async byId(id: Id | null): Promise<Link | undefined> {
    return id === null ? undefined : (await this.linksOf([id])).get(String(id))
  }

  /** Marks the cached links as outdated, after the service has rejected one of them. */
  invalidate(): void {
    this.#reference.invalidate('catalog')
  }

  /**
   * Returns the active task link that the typed text names: an ID, or parts of client/project/task.
   *
   * If the service can create links, creates `Project/Task` or `Client/Project/Task` without a near match; with `create`
   * despite a near match. If the user confirms new tasks, creates them only with `create`. If nothing is cached and the service cannot be reached, an ID becomes a link without names.
   * Throws TtError `usage` with the candidates or the nearest names, and `unreachable`.
   */
  async find(typed: string, options: { create?: boolean } = {}): Promise<Link> {
    return (await this.plan(typed, options)).resolve()
  }

  /** Finds a link like `find`, and throws the same, but creates none before `resolve` is called. */
  async plan(typed: string, { create = false } = {}): Promise<PlannedLink> {
    try {
      return await this.#find(typed, create)
    } catch (error) {
      const link = isInconclusive(error) ? linkWithoutNames(typed) : undefined
      if (link) return existing(link)
      throw error
    }
  }

  /** Prompts for a task, recently used ones first. Throws TtError `usage` without a terminal. */
  async pick(): Promise<Link> {
    const prompts = await this.#options.prompts()
    if (!prompts) {
      throw new TtError('usage', 'No task was given.', { nextStep: this.#chooseTask })
    }
    const cached = await this.#active()
    const active = cached.length > 0 ? cached : await this.#activeNow()
    if (active.length === 0) throw this.#unknown('', [])
    const used = (await this.#mostUsed()).map((link) => String(link.id))
    const rank = (link: Link) =>
      used.includes(String(link.id)) ? used.indexOf(String(link.id)) : used.length
    return prompts.selectTask(active.sort((a, b) => rank(a) - rank(b)))
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
    if (first && matches.length === 1) return existing(first)
    if (first) return existing(await this.#pick(typed, matches, 'matches several tasks'))
    if (create) return this.#exactOrNew(typed, links)
    const inside = matchInsideWords(typed, links, pathOf)
    return inside.length > 0
      ? existing(await this.#pick(typed, inside, 'matches only inside a word'))
      : this.#missing(typed, links)
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
  async #pick(typed: string, candidates: Link[], problem: string): Promise<Link> {
    const prompts = await this.#options.prompts()
    const reason = `"${typed}" ${problem}`
    if (prompts) return prompts.selectTask(candidates, reason)
    throw new TtError('usage', `${reason}: ${joinLabels(candidates.map(({ label }) => label))}.`, {
      hint: 'Write more of the name, or the ID.',
      nextStep: this.#chooseTask,
      candidates: candidates.map(({ label }) => label),
    })
  }

  get #chooseTask(): NextStep {
    return { action: 'choose_task', canCreate: this.#options.create !== undefined }
  }

  #exactOrNew(typed: string, links: Link[]): PlannedLink {
    const names = withExistingNames(this.#namesOf(typed), links)
    const link = links.find((link) => link.label === labelOf(names))
    return link ? existing(link) : this.#new(names)
  }

  async #missing(typed: string, links: Link[]): Promise<PlannedLink> {
    const typedNames = this.#options.create ? parseLinkNames(typed) : undefined
    if (!typedNames) throw this.#unknown(typed, links)
    const names = withExistingNames(typedNames, links)
    const near = nearestLinkNames(names, links)
    if (!near && this.#options.confirmCreation) throw this.#unknown(typed, links)
    if (!near) return this.#new(names)
    const reason = `"${near.typed}" is close to "${near.known}", which exists`
    const prompts = await this.#options.prompts()
    if (await prompts?.confirmCreate(labelOf(names), reason)) return this.#new(names)
    throw new TtError('usage', `${reason}.`, {
      nextStep: { action: 'correct_or_create', ...near },
      candidates: [near.known],
    })
  }

  #new(names: LinkNames): PlannedLink {
    return {
      label: labelOf(names),
      id: undefined,
      resolve: async ({ isConfirmed = false } = {}) => {
        if (!isConfirmed) await this.#options.confirmCreation?.(labelOf(names))
        return this.#create(names)
      },
    }
  }

  async #create(names: LinkNames): Promise<Link> {
    await this.#options.create?.(names)
    this.invalidate()
    const created = (await this.links()).find((link) => link.label === labelOf(names))
    if (!created)
      throw new TtError('failure', `${labelOf(names)} was created but is not among the task links.`)
    this.#options.message(`Created ${created.label}.`)
    return created
  }

  #namesOf(typed: string): LinkNames {
    if (!this.#options.create) {
      throw new TtError('usage', 'Tasks can be created in the local workspace only.', {
        hint: 'Ask an administrator of the service to add the task.',
        nextStep: this.#chooseTask,
      })
    }
    const names = parseLinkNames(typed)
    if (names) return names
    throw new TtError('usage', `"${typed}" does not name a project and a task to create.`, {
      hint: 'Write Project/Task or Client/Project/Task.',
    })
  }

  #unknown(typed: string, links: Link[]): TtError {
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
      nextStep: this.#chooseTask,
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

/** Joins up to 8 labels; adds the number of the others. */
function joinLabels(labels: string[]): string {
  const shown = labels.slice(0, 8)
  const more = labels.length - shown.length
  return more > 0 ? `${shown.join('; ')}; or ${more} more` : shown.join('; ')
}

function existing(link: Link): PlannedLink {
  return { label: link.label, id: link.id, resolve: async () => link }
}
