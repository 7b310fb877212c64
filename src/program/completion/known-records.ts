import { type Aliases, readAliases } from '../../config/aliases.js'
import { readDirectoryFile } from '../../config/directory-file.js'
import { type Environment, pathsFor } from '../../config/paths.js'
import { namedProfiles, type Profile, selectProfile, statePathOf } from '../../config/profile.js'
import { readProfiles } from '../../config/profiles.js'
import { formatDateTime, formatTime } from '../../lib/calendar/time.js'
import type { Sqlite } from '../../lib/sqlite/connection.js'
import { openReadOnly } from '../../lib/sqlite/open.js'
import { tagsIn } from '../../lib/text/tags.js'
import { countText } from '../../lib/text/words.js'
import { type Link, pathOf } from '../../tracking/catalog/links.js'
import { type Candidate, isInsertable, toCandidates } from './candidates.js'

/** The kinds of records that are completed by name. */
export type NamedKind = 'projects' | 'clients' | 'tasks' | 'types'

export interface KnownEntry {
  id: string
  start: Date
  /** null for the running timer. */
  end: Date | null
  notes: string
  linkId: string | null
}

interface KnownExpense {
  id: string
  /** Date, amount, currency, type and notes, in one line. */
  description: string
}

/** The local records of one account. */
export interface CompletionStore {
  /** Returns the active tasks, most used first. */
  links(): Promise<Link[]>
  names(kind: NamedKind): Promise<Candidate[]>
  /** Returns the latest entries, newest first. */
  entries(): Promise<KnownEntry[]>
  /** Returns the notes that contain `#`, newest first. */
  notesWithHash(): Promise<string[]>
  /** Returns the latest expenses, newest first. */
  expenses(): Promise<KnownExpense[]>
}

/** Maximum number of recent entries and expenses: longer lists are not useful. */
export const maxRecentRows = 40

/** Number of recent entries that determine the most used tasks. */
export const maxCountedRows = 500

export interface KnownRecordsOptions {
  env: Environment
  /** undefined if the working directory was removed. */
  cwd: string | undefined
  /** The value of `--profile`. */
  profile: string | undefined
}

/**
 * The local records of the selected profile, as candidates. Opens files when they are needed, for reading only, and
 * creates none. Every method throws for an invalid file, like `selectProfile` and `openReadOnly`.
 */
export class KnownRecords {
  readonly #options: KnownRecordsOptions
  readonly #opened: Sqlite[] = []
  #store: Promise<CompletionStore | undefined> | undefined

  constructor(options: KnownRecordsOptions) {
    this.#options = options
  }

  async links(): Promise<Candidate[]> {
    return linkCandidates((await (await this.#open())?.links()) ?? [])
  }

  async names(kind: NamedKind): Promise<Candidate[]> {
    return (await this.#open())?.names(kind) ?? []
  }

  /** Returns patterns for settings such as `rate.PATTERN`: `Acme`, `Acme/Website`. */
  async patterns(): Promise<string[]> {
    const links = (await (await this.#open())?.links()) ?? []
    const paths = links.flatMap(({ client, project }) => {
      const names = [client, project].flatMap((named) => (named ? [named.name] : []))
      return names.map((_, index) => names.slice(0, index + 1).join('/'))
    })
    return [...new Set(paths)]
  }

  /** Returns `@` for the running timer, `@1` to `@3` for the latest finished entries, then the IDs. */
  async entries(): Promise<Candidate[]> {
    const store = await this.#open()
    const entries = (await store?.entries()) ?? []
    const links = entries.length > 0 ? await store?.links() : []
    const labels = new Map(links?.map(({ id, label }) => [String(id), label]))
    const described = entries.map((entry) => ({ ...entry, description: describeEntry(entry, labels) }))
    const running = described.filter(({ end }) => end === null).slice(0, 1)
    const finished = described.filter(({ end }) => end !== null).slice(0, 3)
    return [
      ...running.map(({ description }) => ({ value: '@', description })),
      ...finished.map(({ description }, index) => ({ value: `@${index + 1}`, description })),
      ...described.map(({ id, description }) => ({ value: id, description, label: description })),
    ]
  }

  /** Returns the notes of the latest entries. */
  async notes(): Promise<Candidate[]> {
    const entries = (await (await this.#open())?.entries()) ?? []
    return toCandidates([...new Set(entries.map(({ notes }) => notes))])
  }

  /** The tags of the latest entries, the most used first. */
  async tags(): Promise<Candidate[]> {
    const counts = new Map<string, number>()
    const notes = (await (await this.#open())?.notesWithHash()) ?? []
    for (const tag of notes.flatMap(tagsIn)) counts.set(tag, (counts.get(tag) ?? 0) + 1)
    return [...counts]
      .sort((a, b) => b[1] - a[1])
      .map(([value, count]) => ({ value, description: countText(count, 'entry', 'entries') }))
  }

  async expenses(): Promise<Candidate[]> {
    const expenses = (await (await this.#open())?.expenses()) ?? []
    return expenses.map(({ id, description }) => ({ value: id, description }))
  }

  /** Returns the aliases of the user, each with its expansion. */
  aliases(): Aliases {
    return readAliases(pathsFor(this.#options.env))
  }

  async profiles(): Promise<Candidate[]> {
    return namedProfiles(readProfiles(pathsFor(this.#options.env))).map(({ name, baseUrl }) => ({
      value: name,
      description: baseUrl ?? 'the local workspace',
    }))
  }

  /** Returns the numbers of pending and rejected changes. */
  async changes(): Promise<Candidate[]> {
    const state = await this.#read(statePathOf(pathsFor(this.#options.env), this.#profile().stateKey))
    if (!state) return []
    const { readChangeSummaries } = await import('../../outbox/completion-queries.js')
    return readChangeSummaries(state).map(({ seq, kind, op, record, state }) => ({
      value: String(seq),
      description: `${op} ${kind} ${record}, ${state}`,
    }))
  }

  /** Returns the numbers of invoices, the latest first. */
  async invoices(): Promise<Candidate[]> {
    const state = await this.#read(statePathOf(pathsFor(this.#options.env), this.#profile().stateKey))
    if (!state) return []
    const { readInvoiceSummaries } = await import('../../outbox/completion-queries.js')
    return readInvoiceSummaries(state).map(({ number, client, total }) => ({
      value: number,
      description: `${client}, ${total}`,
    }))
  }

  close() {
    for (const database of this.#opened.splice(0)) database.close()
  }

  #open(): Promise<CompletionStore | undefined> {
    this.#store ??= this.#openStore(this.#profile())
    return this.#store
  }

  async #openStore({ hasDelivery, stateKey }: Profile): Promise<CompletionStore | undefined> {
    const paths = pathsFor(this.#options.env)
    const database = await this.#read(statePathOf(paths, stateKey))
    if (!database) return undefined
    if (!hasDelivery) {
      const [{ createWorkspaceStore }, { workspaceRecords }] = await Promise.all([
        import('./workspace-store.js'),
        import('../../service/storage/workspace-records.js'),
      ])
      return createWorkspaceStore(workspaceRecords(database))
    }
    return (await import('./service-store.js')).createServiceStore(database)
  }

  async #read(path: string): Promise<Sqlite | undefined> {
    const database = await openReadOnly(path)
    if (database) this.#opened.push(database)
    return database
  }

  #profile(): Profile {
    const { env, profile, cwd } = this.#options
    return selectProfile(env, profile, () => (cwd === undefined ? undefined : readDirectoryFile(cwd)))
  }
}

/** Returns a line such as "2024-05-01 09:30–10:54 Acme / Website / Design: notes". */
function describeEntry({ start, end, notes, linkId }: KnownEntry, labels: Map<string, string>): string {
  const time = end ? `${formatDateTime(start)}–${formatTime(end, start)}` : `since ${formatDateTime(start)}`
  const task = linkId === null ? 'no task' : (labels.get(linkId) ?? `task ${linkId}`)
  return `${time} ${task}${notes === '' ? '' : `: ${notes}`}`
}

/**
 * Returns a candidate for each link, in their order: `Client/Project/Task` if that text finds exactly this link, otherwise
 * the ID.
 */
export function linkCandidates(links: readonly Link[]): Candidate[] {
  const named = links.map((link) => ({ link, names: pathOf(link) }))
  const ids = new Set(links.map(({ id }) => String(id)))
  const counts = new Map<string, number>()
  for (const { names } of named)
    for (const ending of endingsOf(names)) counts.set(ending, (counts.get(ending) ?? 0) + 1)
  return named.map(({ link, names }) => {
    const path = names.join('/')
    const isUnique = counts.get(path) === 1 && !ids.has(path) && isTypable(path, names)
    return isUnique
      ? { value: path, description: `task ${link.id}` }
      : { value: String(link.id), description: link.label, label: link.label }
  })
}

/** Returns the ends of a path. Typed text is matched with them: `Website/Design` means that project of any client. */
function endingsOf(names: readonly string[]): string[] {
  return names.map((_, index) => names.slice(index).join('/'))
}

/** Whether the path can be typed: it is not an option or a home directory (fish does not quote `~`), and splits into the names. */
function isTypable(path: string, names: readonly string[]): boolean {
  const arePlain = names.every((name) => name === name.replace(/\s+/g, ' ').trim() && !/^$|\//.test(name))
  return arePlain && isInsertable(path) && !/^[-~]/.test(path)
}
