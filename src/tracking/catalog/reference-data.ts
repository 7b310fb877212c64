import type { Api } from '../../api-client/api.js'
import { isInconclusive } from '../../api-client/api-errors.js'
import type { Predicates } from '../../api-client/filter/query.js'
import type {
  Assignment,
  Client,
  ExpenseType,
  Id,
  Project,
  TaskLink,
  WireRecord,
} from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { hourMs, minuteMs } from '../../lib/time-units.js'
import { type ClientState, writeIfPossible } from '../../outbox/cache/client-state.js'
import type { CatalogLists, ReferenceData, Snapshots, StoredReference } from '../../outbox/cache/snapshots.js'
import type { Staleness } from '../../outbox/cache/staleness.js'

type ReferenceKind = keyof ReferenceData

const fetchers: { [Key in ReferenceKind]: (api: Api) => Promise<ReferenceData[Key]> } = {
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

export interface ReferenceReaderOptions {
  /** The client state with the snapshots; undefined for the local workspace, which is always available. */
  state: ClientState | undefined
  /** The time at which the command was started. */
  now: Date
  /** Returns the warning for outdated data. */
  staleness(): Promise<Staleness>
  /** The age up to which snapshots are recent, in milliseconds; by default an hour. */
  maxAgeMs?: number | undefined
}

/** A snapshot of reference data, and when it was fetched. */
interface Snapshot<Value> extends StoredReference<Value> {
  at: Date
}

/**
 * Reads reference data from a service, and from a snapshot while the service cannot be reached. A command fetches each
 * kind at most once. Every method throws the TtErrors of `Api`; `unreachable` only without a snapshot.
 */
export class ReferenceReader {
  readonly #api: Api
  readonly #options: ReferenceReaderOptions
  readonly #fetched = new Map<ReferenceKind, Promise<unknown>>()
  readonly #snapshots = new Map<ReferenceKind, Snapshot<unknown> | undefined>()
  /** Whether a request of this command could not reach the service: later reads use snapshots at once. */
  #isUnreachable = false
  /** Whether it may send requests. */
  #hasRequests = true

  constructor(api: Api, options: ReferenceReaderOptions) {
    this.#api = api
    this.#options = options
  }

  /** Lets further reads send no requests to a service: without a snapshot of any age, they throw TtError `unreachable`. */
  useOnlySnapshots(): void {
    if (!this.#options.state) return
    this.#isUnreachable = true
    this.#hasRequests = false
  }

  /** Fetches the data; uses the snapshot with a warning if the service cannot be reached. */
  async current<Key extends ReferenceKind>(name: Key): Promise<ReferenceData[Key]> {
    try {
      return await this.#fetch(name)
    } catch (error) {
      return this.#staleInsteadOf(error, name)
    }
  }

  /**
   * Returns data that is at most `maxAgeMs` old. If the service cannot be reached, returns a snapshot of any age, without
   * a warning. Suitable for showing names and for searching.
   */
  async recent<Key extends ReferenceKind>(
    name: Key,
    maxAgeMs = this.#options.maxAgeMs ?? hourMs,
  ): Promise<ReferenceData[Key]> {
    const snapshot = this.#read(name)
    if (snapshot && (this.#isFresh(snapshot, maxAgeMs) || this.#isUnreachable)) return snapshot.value
    try {
      return await this.#fetch(name)
    } catch (error) {
      return this.#snapshotInsteadOf(error, name).value
    }
  }

  /** Whether `recent` returns the data without a request. */
  isRecent(name: ReferenceKind): boolean {
    const snapshot = this.#read(name)
    return snapshot !== undefined && this.#isFresh(snapshot, this.#options.maxAgeMs ?? hourMs)
  }

  /** Returns the snapshot of any age, without a request; undefined if there is none, as in the local workspace. */
  cached<Key extends ReferenceKind>(name: Key): ReferenceData[Key] | undefined {
    return this.#read(name)?.value
  }

  /**
   * Returns the recent catalog; fetches it again if one of its lists lacks one of these IDs and it is older than `maxAgeMs`.
   * IDs that stay missing, such as links that the user can no longer see, make it fetch the lists once a minute by default,
   * and with 0 in every command.
   */
  async catalogWith(
    list: keyof CatalogLists,
    ids: Iterable<Id | null>,
    maxAgeMs = minuteMs,
  ): Promise<CatalogLists> {
    const needed = [...ids].filter((id) => id !== null).map(String)
    const lists = await this.recent('catalog')
    const known = new Set(lists[list].map(({ id }) => String(id)))
    return needed.every((id) => known.has(id)) ? lists : this.recent('catalog', maxAgeMs)
  }

  /** Marks the snapshot as doubtful, so that this and other processes fetch the data again. */
  invalidate(name: ReferenceKind): void {
    this.#fetched.delete(name)
    const snapshot = this.#read(name)
    if (snapshot) this.#store(name, { ...snapshot, doubtful: true })
  }

  projects(q: Predicates): Promise<Project[]> {
    return this.#filtered(q, 'catalog', ({ projects }) => projects, this.#api.listProjects)
  }

  clients(q: Predicates): Promise<Client[]> {
    return this.#filtered(q, 'catalog', ({ clients }) => clients, this.#api.listClients)
  }

  taskLinks(q: Predicates): Promise<TaskLink[]> {
    return this.#filtered(q, 'catalog', ({ links }) => links, this.#api.listTaskLinks)
  }

  assignments(q: Predicates): Promise<Assignment[]> {
    return this.#filtered(q, 'assignments', (assignments) => assignments, this.#api.listAssignments)
  }

  expenseTypes(q: Predicates): Promise<ExpenseType[]> {
    return this.#filtered(q, 'expense_types', (types) => types, this.#api.listExpenseTypes)
  }

  /** Returns the matching records. The service filters them; if it cannot be reached, filters the snapshot. */
  async #filtered<Key extends ReferenceKind, Row extends WireRecord>(
    predicates: Predicates,
    name: Key,
    rowsOf: (data: ReferenceData[Key]) => Row[],
    fetchRows: (q: Predicates) => Promise<Row[]>,
  ): Promise<Row[]> {
    if (Object.keys(predicates).length === 0) return rowsOf(await this.current(name))
    try {
      return await fetchRows(predicates)
    } catch (error) {
      const rows = rowsOf(await this.#staleInsteadOf(error, name))
      const { matchesPredicates } = await import('../../api-client/filter/conditions.js')
      return rows.filter((row) => matchesPredicates(row, predicates))
    }
  }

  /** Returns the snapshot. Throws `error` if it is conclusive or there is no snapshot. */
  #snapshotInsteadOf<Key extends ReferenceKind>(error: unknown, name: Key): Snapshot<ReferenceData[Key]> {
    const snapshot = this.#read(name)
    if (!snapshot || !isInconclusive(error)) throw error
    this.#isUnreachable = true
    return snapshot
  }

  /** Returns the value of the snapshot, and warns about its age. Throws the same errors as `#snapshotInsteadOf`. */
  async #staleInsteadOf<Key extends ReferenceKind>(error: unknown, name: Key): Promise<ReferenceData[Key]> {
    const snapshot = this.#snapshotInsteadOf(error, name)
    const staleness = await this.#options.staleness()
    staleness.note(error, { at: snapshot.at, complete: true })
    return snapshot.value
  }

  #fetch<Key extends ReferenceKind>(name: Key): Promise<ReferenceData[Key]> {
    const fetched = this.#fetched.get(name) as Promise<ReferenceData[Key]> | undefined
    if (fetched) return fetched
    if (!this.#hasRequests) return Promise.reject(new TtError('unreachable', `No ${name} is cached.`))
    const data = fetchers[name](this.#api).then((value) => {
      this.#store(name, { value, at: this.#options.now, doubtful: isIncomplete(value) })
      return value
    })
    this.#fetched.set(name, data)
    return data
  }

  #read<Key extends ReferenceKind>(name: Key): Snapshot<ReferenceData[Key]> | undefined {
    const { state } = this.#options
    if (state && !this.#snapshots.has(name)) {
      const stored = state.snapshot(name)
      const snapshot = stored && { ...stored.value, at: stored.at }
      this.#snapshots.set(name, snapshot)
    }
    return this.#snapshots.get(name) as Snapshot<ReferenceData[Key]> | undefined
  }

  #store<Key extends ReferenceKind>(name: Key, snapshot: Snapshot<ReferenceData[Key]>) {
    const { state } = this.#options
    if (!state) return
    this.#snapshots.set(name, snapshot)
    const { at, ...value } = snapshot
    writeIfPossible(() => state.saveSnapshot(name, value as Snapshots[Key], at))
  }

  #isFresh({ at, doubtful }: Snapshot<unknown>, maxAgeMs: number): boolean {
    // A time in the future is wrong as well: the clock has been set back since.
    return !doubtful && Math.abs(this.#options.now.getTime() - at.getTime()) < maxAgeMs
  }
}

/** Whether a list, or one of several lists, could not be read completely. */
function isIncomplete(value: ReferenceData[ReferenceKind]): boolean {
  const lists: unknown[] = Array.isArray(value) ? [value] : Object.values(value)
  return lists.some((list) => Array.isArray(list) && 'incomplete' in list)
}
