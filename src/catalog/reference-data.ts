import type { Api } from '../api/api.js'
import { isInconclusive } from '../api/errors.js'
import type { Predicates } from '../api/filter/query.js'
import type {
  Assignment,
  Client,
  Company,
  ExpenseType,
  Id,
  Project,
  Task,
  TaskLink,
  WireRecord,
} from '../api/types.js'
import { type ClientState, writeIfPossible } from '../cache/client-state.js'
import type { Staleness } from '../cache/staleness.js'
import { hourMs, minuteMs } from '../lib/time-units.js'

/** What the catalog is made of, asked for together so that it belongs together. */
export interface CatalogLists {
  links: TaskLink[]
  projects: Project[]
  clients: Client[]
  tasks: Task[]
}

/** The reference data of a service, by the names under which it is kept. */
export interface ReferenceData {
  catalog: CatalogLists
  assignments: Assignment[]
  company: Company
  expense_types: ExpenseType[]
  frequent: TaskLink[]
}

type Name = keyof ReferenceData

const asking: { [Key in Name]: (api: Api) => Promise<ReferenceData[Key]> } = {
  async catalog(api) {
    const [links, projects, clients, tasks] = await Promise.all([
      api.listTaskLinks(),
      api.listProjects(),
      api.listClients(),
      api.listTasks(),
    ])
    return { links, projects, clients, tasks }
  },
  assignments: (api) => api.listAssignments(),
  company: (api) => api.getCompany(),
  expense_types: (api) => api.listExpenseTypes(),
  frequent: (api) => api.mostUsedTasks(),
}

export interface ReferenceOptions {
  /** Where it is kept; undefined for the local workspace, which always answers. */
  state: ClientState | undefined
  /** The moment that the command was typed. */
  now: Date
  /** Asked for when something is shown that may be out of date. */
  staleness(): Promise<Staleness>
}

/** What was kept last. */
interface Kept<Value> {
  value: Value
  at: Date
  /** It turned out to be wrong: it is good only while the service cannot be reached. */
  doubtful: boolean
}

/**
 * The reference data of a service: asked for, kept on this machine, and answered from there while the service cannot
 * be reached. A command asks for the same at most once. Every method throws the TtErrors of `Api`; `unreachable` only
 * where nothing was ever kept.
 */
export class Reference {
  readonly #api: Api
  readonly #options: ReferenceOptions
  readonly #asked = new Map<Name, Promise<unknown>>()
  readonly #kept = new Map<Name, Kept<unknown> | undefined>()
  /** The service did not answer this command: it is not asked again for what was kept. */
  #silent = false

  constructor(api: Api, options: ReferenceOptions) {
    this.#api = api
    this.#options = options
  }

  /** As the service answers now; or as it was kept, and then the user is told so. */
  async current<Key extends Name>(name: Key): Promise<ReferenceData[Key]> {
    try {
      return await this.#ask(name)
    } catch (error) {
      return this.#insteadOf(error, name)
    }
  }

  /**
   * As it was at most so long ago, without a word where the service cannot be reached: for names and for finding
   * what was typed.
   */
  async recent<Key extends Name>(name: Key, maxAgeMs = hourMs): Promise<ReferenceData[Key]> {
    const kept = this.#read(name)
    if (kept && (this.#isFresh(kept, maxAgeMs) || this.#silent)) return kept.value
    try {
      return await this.#ask(name)
    } catch (error) {
      return this.#keptInsteadOf(error, name).value
    }
  }

  /**
   * The recent catalog, asked for again when one of its lists lacks one of these ids. What is missing for good, such
   * as a link that the user cannot see any more, is asked for once a minute at most.
   */
  async catalogWith(list: keyof CatalogLists, ids: Iterable<Id | null>): Promise<CatalogLists> {
    const wanted = [...ids].filter((id) => id !== null).map(String)
    const lists = await this.recent('catalog')
    const known = new Set(lists[list].map(({ id }) => String(id)))
    return wanted.every((id) => known.has(id)) ? lists : this.recent('catalog', minuteMs)
  }

  /** Has it asked for again at the next look, in this process or another. */
  forget(name: Name): void {
    this.#asked.delete(name)
    const kept = this.#read(name)
    if (kept) this.#keep(name, { ...kept, doubtful: true })
  }

  projects(q: Predicates): Promise<Project[]> {
    return this.#meeting(q, 'catalog', ({ projects }) => projects, this.#api.listProjects)
  }

  clients(q: Predicates): Promise<Client[]> {
    return this.#meeting(q, 'catalog', ({ clients }) => clients, this.#api.listClients)
  }

  tasks(q: Predicates): Promise<Task[]> {
    return this.#meeting(q, 'catalog', ({ tasks }) => tasks, this.#api.listTasks)
  }

  taskLinks(q: Predicates): Promise<TaskLink[]> {
    return this.#meeting(q, 'catalog', ({ links }) => links, this.#api.listTaskLinks)
  }

  assignments(q: Predicates): Promise<Assignment[]> {
    return this.#meeting(q, 'assignments', (assignments) => assignments, this.#api.listAssignments)
  }

  expenseTypes(q: Predicates): Promise<ExpenseType[]> {
    return this.#meeting(q, 'expense_types', (types) => types, this.#api.listExpenseTypes)
  }

  /** The records that meet the predicates, by the word of the service or out of what was kept. */
  async #meeting<Key extends Name, Row extends WireRecord>(
    predicates: Predicates,
    name: Key,
    rowsOf: (kept: ReferenceData[Key]) => Row[],
    ask: (q: Predicates) => Promise<Row[]>,
  ): Promise<Row[]> {
    if (Object.keys(predicates).length === 0) return rowsOf(await this.current(name))
    try {
      return await ask(predicates)
    } catch (error) {
      const rows = rowsOf(await this.#insteadOf(error, name))
      const { matchesPredicates } = await import('../api/filter/predicates.js')
      return rows.filter((row) => matchesPredicates(row, predicates))
    }
  }

  /** What was kept; throws the error where it says something, or nothing was kept. */
  #keptInsteadOf<Key extends Name>(error: unknown, name: Key): Kept<ReferenceData[Key]> {
    const kept = this.#read(name)
    if (!kept || !isInconclusive(error)) throw error
    this.#silent = true
    return kept
  }

  /** The same, with a word to the user. */
  async #insteadOf<Key extends Name>(error: unknown, name: Key): Promise<ReferenceData[Key]> {
    const kept = this.#keptInsteadOf(error, name)
    const staleness = await this.#options.staleness()
    staleness.note(error, { at: kept.at, complete: true })
    return kept.value
  }

  #ask<Key extends Name>(name: Key): Promise<ReferenceData[Key]> {
    const asked = this.#asked.get(name) as Promise<ReferenceData[Key]> | undefined
    if (asked) return asked
    const answer = asking[name](this.#api).then((value) => {
      this.#keep(name, { value, at: this.#options.now, doubtful: isIncomplete(value) })
      return value
    })
    this.#asked.set(name, answer)
    return answer
  }

  #read<Key extends Name>(name: Key): Kept<ReferenceData[Key]> | undefined {
    const { state } = this.#options
    if (state && !this.#kept.has(name)) {
      const snapshot = state.snapshot(name)
      this.#kept.set(name, snapshot && { ...(snapshot.value as Omit<Kept<unknown>, 'at'>), at: snapshot.at })
    }
    return this.#kept.get(name) as Kept<ReferenceData[Key]> | undefined
  }

  #keep(name: Name, kept: Kept<unknown>) {
    const { state } = this.#options
    if (!state) return
    this.#kept.set(name, kept)
    const { at, ...value } = kept
    writeIfPossible(() => state.saveSnapshot(name, value, at))
  }

  #isFresh({ at, doubtful }: Kept<unknown>, maxAgeMs: number): boolean {
    // A snapshot from the future was kept under another clock.
    return !doubtful && Math.abs(this.#options.now.getTime() - at.getTime()) < maxAgeMs
  }
}

/** Whether a list, or one of several lists, could not be read completely. */
function isIncomplete(value: ReferenceData[Name]): boolean {
  const lists: unknown[] = Array.isArray(value) ? [value] : Object.values(value)
  return lists.some((list) => Array.isArray(list) && 'incomplete' in list)
}
