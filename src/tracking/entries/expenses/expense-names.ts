import { isInconclusive } from '../../../api-client/api-errors.js'
import type { ExpenseType, Id, NamedRecord } from '../../../api-client/types.js'
import { TtError } from '../../../lib/errors.js'
import { matchInsideWords, matchNames } from '../../../lib/text/match-names.js'
import { nearestNames, nearestNamesText } from '../../../lib/text/nearest-names.js'
import type { Named } from '../../catalog/catalog.js'
import { isProbableTypo } from '../../catalog/new-task.js'
import type { ReferenceReader } from '../../catalog/reference-data.js'

/** The records whose names expenses show. */
export interface ExpenseNames {
  types: ExpenseType[]
  projects: (NamedRecord & { client_id?: Id | null })[]
  clients: NamedRecord[]
  /** The currency of the company; undefined if it is unknown. */
  currency?: string | undefined
}

/** An expense type that a typed text means. */
export interface PlannedType {
  name: string
  /** undefined if the type does not exist yet. */
  id: Id | undefined
  /** Returns the ID, and creates the type if it does not exist yet. Call it within the transaction of the change that needs it. */
  resolve(): Promise<Id>
}

const noNames: ExpenseNames = { types: [], projects: [], clients: [] }

/** Reads the names of expense types, projects and clients, and finds the record that a typed name means. */
export class ExpenseNameLookup {
  readonly #reference: ReferenceReader
  #names: Promise<ExpenseNames> | undefined

  constructor(reference: ReferenceReader) {
    this.#reference = reference
  }

  /** Returns the names, or none while the service cannot be reached: expenses without names are better than an error. */
  names(): Promise<ExpenseNames> {
    return this.#read().catch((error: unknown) => {
      if (!isInconclusive(error)) throw error
      return noNames
    })
  }

  /** Returns the currency of the company for expenses without one; undefined if it is unknown. */
  async currency(): Promise<string | undefined> {
    try {
      return (await this.#reference.recent('company')).currency ?? undefined
    } catch (error) {
      if (!(error instanceof TtError)) throw error
      return undefined // The expenses are more important.
    }
  }

  /** Like `names` after a change: no error of reading the names fails a change that is saved. */
  namesAfterChange(): Promise<ExpenseNames> {
    return this.#read().catch((error: unknown) => {
      if (!(error instanceof TtError)) throw error
      return noNames
    })
  }

  /** Returns the active expense type that the typed text means. Throws TtError `usage` with the candidates. */
  findType(typed: string): Promise<Named> {
    return this.#find(({ types }) => {
      const active = types.filter((type) => type.active !== false)
      return findOne(typed, 'expense type', 'expense_types', active)
    })
  }

  /**
   * Plans the active expense type that the typed text means, or a new one if there is none and `create` is given. Throws
   * like `findType` for text that may mean an existing one, and for text that is no name, such as a number.
   */
  async planType(typed: string, create?: (name: string) => Promise<unknown>): Promise<PlannedType> {
    try {
      const { id, name } = await this.findType(typed)
      return { id, name, resolve: async () => id }
    } catch (error) {
      if (!create) throw error
      const { types } = await this.#read()
      const pathOf = ({ name }: NamedRecord) => [name]
      const mayExist =
        matchNames(typed, types, pathOf).length > 0 ||
        matchInsideWords(typed, types, pathOf).length > 0 ||
        types.some(({ name }) => isProbableTypo(typed, name))
      if (mayExist || !/^[^\d@~\s]/.test(typed.trim())) throw error
    }
    return {
      ...{ id: undefined, name: typed },
      resolve: async () => {
        await create(typed)
        this.#reference.invalidate('expense_types')
        this.#names = this.#request(0)
        return (await this.findType(typed)).id
      },
    }
  }

  /** Returns the client that the typed text means. Throws TtError `usage` with the candidates. */
  findClient(typed: string): Promise<Named> {
    return this.#find(({ clients }) => findOne(typed, 'client', 'clients', clients))
  }

  /** Returns the project that the typed text means. Throws TtError `usage` with the candidates. */
  findProject(typed: string): Promise<Named> {
    return this.#find(({ projects }) => findOne(typed, 'project', 'projects', projects))
  }

  /** Returns the result of `find`. Requests the names again if the cached names do not have it. */
  async #find(find: (names: ExpenseNames) => Named): Promise<Named> {
    const names = await this.#read()
    try {
      return find(names)
    } catch {
      // The record may be newer than the cache.
      this.#names = this.#request(0)
      return find(await this.#names)
    }
  }

  #read(): Promise<ExpenseNames> {
    this.#names ??= this.#request()
    return this.#names
  }

  async #request(maxAgeMs?: number): Promise<ExpenseNames> {
    const [types, { projects, clients }] = await Promise.all([
      this.#reference.recent('expense_types', maxAgeMs),
      this.#reference.recent('catalog', maxAgeMs),
    ])
    return { types, projects, clients }
  }
}

/** Returns the only record that the typed text means. Throws TtError `usage` with the candidates. */
function findOne(
  typed: string,
  noun: string,
  listName: 'expense_types' | 'projects' | 'clients',
  records: readonly NamedRecord[],
): Named {
  const nextStep = { action: 'list', records: listName } as const
  const byId = records.find((record) => String(record.id) === typed.trim())
  const pathOf = (record: NamedRecord) => [record.name]
  const matches = byId ? [byId] : matchNames(typed, records, pathOf)
  const [only] = matches
  if (only && matches.length === 1) return only
  const isInsideWord = matches.length === 0
  const candidates = (isInsideWord ? matchInsideWords(typed, records, pathOf) : matches).map(
    ({ name }) => name,
  )
  if (candidates.length > 0) {
    const problem = isInsideWord ? 'matches only inside a word' : 'matches several'
    const text = `"${typed}" ${problem}: ${candidates.join(', ')}.`
    throw new TtError('usage', text, { nextStep, candidates })
  }
  const known = records.map(({ name }) => name)
  const suggestion = nearestNamesText(typed, known)
  const others = suggestion === '' ? knownNamesText(noun, known) : suggestion
  const text = `"${typed}" matches no ${noun}.${others}`
  throw new TtError('usage', text, { nextStep, candidates: nearestNames(typed, known) })
}

/** Returns " The expense types are Meals and Travel." to append to a message; empty for no names and for many. */
function knownNamesText(noun: string, names: readonly string[]): string {
  if (names.length === 0 || names.length > maxListed) return ''
  return ` The ${noun}s are: ${names.join(', ')}.`
}

/** Upper bound for the number of names in a message. */
const maxListed = 12
