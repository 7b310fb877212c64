import { isInconclusive } from '../api/errors.js'
import type { Id, TaskLink } from '../api/types.js'
import { TtError } from '../lib/errors.js'
import { nearestNames, nearestNamesText } from '../lib/nearest-names.js'
import type { NextStep } from '../lib/next-step.js'
import { type LinkNames, labelOf, nearestLinkNames, parseLinkNames, withExistingNames } from './link-names.js'
import { byId, joinLinks, type Link, pathOf, toLink } from './links.js'
import { matchInsideWords, matchNames } from './matching.js'
import type { CatalogLists, Reference } from './reference-data.js'

export type { Link, Named } from './links.js'

/** The prompts that finding a task may need, in the words of the command line. */
export interface TaskPrompts {
  /** Selects one of the links; `reason` says why the typed text does not select one, and is absent without any text. */
  selectTask(links: readonly Link[], reason?: string): Promise<Link>
  /** Asks whether to create a task with that label although a similar name exists, which `reason` says. */
  confirmCreate(label: string, reason: string): Promise<boolean>
}

export interface CatalogOptions {
  /** Creates a task link with its missing client, project and task; undefined where the service has no way to. */
  create?: ((names: LinkNames) => Promise<unknown>) | undefined
  /** Returns the prompts; undefined where prompting is not possible. */
  prompts(): Promise<TaskPrompts | undefined>
  message(text: string): void
}

/**
 * What time can be tracked on, and how a typed word finds it. What was asked of the service within the last hour is
 * good enough; what is not found there is asked for again, and while the service cannot be reached what was kept
 * answers, however old.
 */
export class Catalog {
  readonly #reference: Reference
  readonly #options: CatalogOptions
  #joined: { lists: CatalogLists; links: Link[] } | undefined

  constructor(reference: Reference, options: CatalogOptions) {
    this.#reference = reference
    this.#options = options
  }

  /** Every link the user can see, inactive ones too, by label. */
  async links(): Promise<Link[]> {
    return this.#join(await this.#reference.recent('catalog'))
  }

  /** The links by their ids, these among them as far as they exist. None where nothing is known and the service cannot be reached. */
  async linksOf(ids: Iterable<Id | null>): Promise<Map<string, Link>> {
    const wanted = [...ids].filter((id) => id !== null)
    if (wanted.length === 0) return new Map()
    try {
      const lists = await this.#reference.catalogWith('links', wanted)
      return byId(this.#join(lists))
    } catch (error) {
      // An entry without its names is better than none.
      if (isInconclusive(error)) return new Map()
      throw error
    }
  }

  async byId(id: Id | null): Promise<Link | undefined> {
    return id === null ? undefined : (await this.linksOf([id])).get(String(id))
  }

  /** Has the next look ask the service: it has refused a link that was found here. */
  forget(): void {
    this.#reference.forget('catalog')
  }

  /**
   * The one active link that the typed text means: an id, or words of client/project/task.
   *
   * Where links can be made, `Project/Task` or `Client/Project/Task` that has no near match is made; with `create`
   * also in spite of one. An id is taken for itself where nothing is known and the service cannot be reached. Throws
   * TtError `usage` with the candidates or the nearest names, and `unreachable`.
   */
  async find(typed: string, { create = false } = {}): Promise<Link> {
    try {
      return await this.#find(typed, create)
    } catch (error) {
      const alone = isInconclusive(error) ? linkAlone(typed) : undefined
      if (alone) return alone
      throw error
    }
  }

  /** Asks which task is meant, those used most in the last days first. Throws TtError `usage` where nobody can answer. */
  async pick(): Promise<Link> {
    const prompts = await this.#options.prompts()
    if (!prompts) {
      throw new TtError('usage', 'No task was given.', { nextStep: this.#chooseTask })
    }
    const known = await this.#active()
    const active = known.length > 0 ? known : await this.#activeNow()
    if (active.length === 0) throw this.#unknown('', [])
    const used = (await this.#mostUsed()).map((link) => String(link.id))
    const rank = (link: Link) =>
      used.includes(String(link.id)) ? used.indexOf(String(link.id)) : used.length
    return prompts.selectTask(active.sort((a, b) => rank(a) - rank(b)))
  }

  async #find(typed: string, create: boolean): Promise<Link> {
    const fitting = (links: Link[]) => {
      const byId = links.find((link) => String(link.id) === typed.trim())
      if (byId) return [byId]
      return create ? [] : matchNames(typed, links, pathOf)
    }
    let links = await this.#active()
    let found = fitting(links)
    if (found.length === 0) {
      links = await this.#activeNow()
      found = fitting(links)
    }
    const [only] = found
    if (only && found.length === 1) return only
    if (only) return this.#pick(typed, found, 'matches several tasks')
    if (create) return this.#exactOrNew(typed, links)
    const inside = matchInsideWords(typed, links, pathOf)
    return inside.length > 0
      ? this.#pick(typed, inside, 'matches only inside a word')
      : this.#missing(typed, links)
  }

  async #active(): Promise<Link[]> {
    return (await this.links()).filter((link) => link.active)
  }

  /** As the service says now: before an error is given, or with a word on how old the reason for it is. */
  async #activeNow(): Promise<Link[]> {
    return this.#join(await this.#reference.current('catalog')).filter((link) => link.active)
  }

  #join(lists: CatalogLists): Link[] {
    if (this.#joined?.lists !== lists) this.#joined = { lists, links: joinLinks(lists) }
    return this.#joined.links
  }

  /** What is offered first; nothing where that cannot be asked. */
  async #mostUsed(): Promise<TaskLink[]> {
    try {
      return await this.#reference.recent('frequent')
    } catch (error) {
      if (isInconclusive(error)) return []
      throw error
    }
  }

  /** @param how what the typed text does: "matches several tasks" */
  async #pick(typed: string, found: Link[], how: string): Promise<Link> {
    const prompts = await this.#options.prompts()
    const reason = `"${typed}" ${how}`
    if (prompts) return prompts.selectTask(found, reason)
    throw new TtError('usage', `${reason}: ${listed(found.map(({ label }) => label))}.`, {
      hint: 'Write more of the name, or the ID.',
      nextStep: this.#chooseTask,
      candidates: found.map(({ label }) => label),
    })
  }

  get #chooseTask(): NextStep {
    return { action: 'choose_task', canCreate: this.#options.create !== undefined }
  }

  async #exactOrNew(typed: string, links: Link[]): Promise<Link> {
    const names = withExistingNames(this.#namesOf(typed), links)
    return links.find((link) => link.label === labelOf(names)) ?? this.#create(names)
  }

  async #missing(typed: string, links: Link[]): Promise<Link> {
    const wanted = this.#options.create ? parseLinkNames(typed) : undefined
    if (!wanted) throw this.#unknown(typed, links)
    const names = withExistingNames(wanted, links)
    const near = nearestLinkNames(names, links)
    if (!near) return this.#create(names)
    const reason = `"${near.typed}" is close to "${near.known}", which exists`
    const prompts = await this.#options.prompts()
    if (await prompts?.confirmCreate(labelOf(names), reason)) return this.#create(names)
    throw new TtError('usage', `${reason}.`, {
      nextStep: { action: 'correct_or_create', ...near },
      candidates: [near.known],
    })
  }

  async #create(names: LinkNames): Promise<Link> {
    await this.#options.create?.(names)
    this.forget()
    const made = (await this.links()).find((link) => link.label === labelOf(names))
    if (!made) throw new TtError('failure', `${labelOf(names)} was created but is not among the task links.`)
    this.#options.message(`Created ${made.label}.`)
    return made
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
    const names = links.flatMap((link) => [...pathOf(link), link.label])
    if (links.length === 0) {
      const why = typed === '' ? 'There is no task' : `"${typed}" matches no task: there is none`
      const solution = this.#options.create
        ? ({ nextStep: { action: 'create_task' } } as const)
        : { hint: 'Ask an administrator of the service to add a task.' }
      return new TtError('usage', `${why} that time can be tracked on.`, solution)
    }
    return new TtError('usage', `"${typed}" matches no task.${nearestNamesText(typed, names)}`, {
      nextStep: this.#chooseTask,
      candidates: nearestNames(typed, names),
    })
  }
}

/** The link that an id names, and nothing else of it. */
function linkAlone(typed: string): Link | undefined {
  const text = typed.trim()
  if (!/^\d+$/.test(text)) return undefined
  const id = String(Number(text)) === text ? Number(text) : text
  return toLink({ id, project_id: null, task_id: null }, null, null, null)
}

function listed(labels: string[]): string {
  const most = 8
  const shown = labels.slice(0, most)
  const more = labels.length - shown.length
  return more > 0 ? `${shown.join('; ')}; or ${more} more` : shown.join('; ')
}
