import { isDeepStrictEqual } from 'node:util'

/** A record that must be there, as it was typed. Its notes begin with its mark, and keep it. */
export interface ExpectedRecord {
  kind: 'entry' | 'expense'
  /** Its number in the order of creation, such as the 17 of `#17 phone`. */
  mark: number
  /** What must stand in the row at the service; times as epoch milliseconds, amounts as numbers. */
  fields: Readonly<Record<string, unknown>>
  /** It was deleted and came back: where it stands in the order is not known. */
  isRestored?: boolean
}

/** A row of the service, as it answers it. */
export type ServiceRow = Readonly<Record<string, unknown>>

/** One state that the records may be in, and the ones before it that undo leads back to. */
export interface Model {
  readonly records: readonly ExpectedRecord[]
  /** The last is the most recent. */
  readonly history: readonly (readonly ExpectedRecord[])[]
}

export const emptyModel: Model = { records: [], history: [] }

/** As many steps as are ever undone. */
const longestHistory = 12

/** The book after a change. */
export function nextModel(model: Model, records: readonly ExpectedRecord[]): Model {
  return { records, history: [...model.history, model.records].slice(-longestHistory) }
}

/** The book after the last `steps` changes have been undone. What had been deleted is made anew, at an unknown place. */
export function undoChanges(model: Model, steps = 1): Model {
  const before = model.history.at(-steps)
  if (!before) throw new Error('There is nothing to undo.')
  const standing = new Map(model.records.map((record) => [nameOf(record), record]))
  const records = before.map((record) => {
    const now = standing.get(nameOf(record))
    return now && !now.isRestored ? record : { ...record, isRestored: true }
  })
  return { records, history: model.history.slice(0, -steps) }
}

const nameOf = ({ kind, mark }: ExpectedRecord) => `${kind} #${mark}`

/**
 * What differs between what was typed and what the service has, each in a line: what is missing, what is there twice,
 * what was never typed, what has other values, and what was created in another order. Nothing, when all is well.
 *
 * @param isOrdered whether records must have been created in the order in which they were typed
 */
export function findDifferences(
  records: readonly ExpectedRecord[],
  rows: Record<ExpectedRecord['kind'], ServiceRow[]>,
  isOrdered = true,
): string[] {
  return (['entry', 'expense'] as const).flatMap((kind) =>
    differencesOf(kind, records, rows[kind], isOrdered),
  )
}

function differencesOf(
  kind: ExpectedRecord['kind'],
  all: readonly ExpectedRecord[],
  rows: readonly ServiceRow[],
  isOrdered: boolean,
): string[] {
  const records = all.filter((record) => record.kind === kind)
  const found = new Map<string, ServiceRow[]>()
  const said: string[] = []
  for (const row of rows) {
    const mark = markOf(row)
    const name = mark === undefined ? 'none' : `${kind} #${mark}`
    if (mark === undefined) said.push(`${kind} ${row.id} was never typed: ${JSON.stringify(row)}`)
    else found.set(name, [...(found.get(name) ?? []), row])
  }
  const inOrder: { name: string; id: number }[] = []
  for (const record of records) {
    const name = nameOf(record)
    const [row, ...more] = found.get(name) ?? []
    found.delete(name)
    if (!row) said.push(`${name} is missing: ${JSON.stringify(record.fields)}`)
    if (more.length > 0) said.push(`${name} is there ${more.length + 1} times`)
    if (!row) continue
    const values = Object.fromEntries(
      Object.keys(record.fields).map((key) => [key, comparable(key, row[key])]),
    )
    if (!isDeepStrictEqual(values, record.fields))
      said.push(`${name} is ${JSON.stringify(values)} and should be ${JSON.stringify(record.fields)}`)
    // A record that is not delivered has a local id, which says nothing of the order.
    if (!record.isRestored && Number.isFinite(Number(row.id))) inOrder.push({ name, id: Number(row.id) })
  }
  for (const [name, rows] of found) said.push(`${name} is there (${rows.length}) and should not be`)
  return [...said, ...(isOrdered ? outOfOrder(inOrder) : [])]
}

/** The records are in the order in which they were typed. */
function outOfOrder(records: readonly { name: string; id: number }[]): string[] {
  return records.slice(1).flatMap((record, index) => {
    const before = records[index]
    if (!before || before.id < record.id) return []
    return [`${record.name} (id ${record.id}) was created before ${before.name} (id ${before.id})`]
  })
}

/** The number at the beginning of the notes. */
export function markOf(row: ServiceRow): number | undefined {
  const mark = /^#(\d+)\b/.exec(String(row.notes))?.[1]
  return mark === undefined ? undefined : Number(mark)
}

function comparable(key: string, value: unknown): unknown {
  if ((key === 'time_start' || key === 'time_end') && typeof value === 'string') return Date.parse(value)
  if (key === 'amount') return Number(value)
  return value
}

/**
 * All states that the records may be in, given that nobody knows of some commands whether they were done: a process
 * that was killed did all of it, or nothing.
 */
export class PossibleModels {
  #possible: readonly Model[] = [emptyModel]
  readonly #isOrdered: boolean

  /** @param isOrdered whether records must have been created in the order in which they were typed */
  constructor(isOrdered = true) {
    this.#isOrdered = isOrdered
  }

  /** Where there is no doubt. */
  get model(): Model {
    const [model, other] = this.#possible
    if (!model || other) throw new Error(`There are ${this.#possible.length} possible states.`)
    return model
  }

  get count(): number {
    return this.#possible.length
  }

  /** A command was done. `change` answers undefined where it could not have been. */
  apply(change: (model: Model) => Model | undefined) {
    this.#possible = this.#possible.map(change).filter((model) => model !== undefined)
    if (this.#possible.length === 0) throw new Error('What was done was not possible.')
  }

  /** A command was killed: it was done, or not. */
  applyUncertain(change: (model: Model) => Model | undefined) {
    const after = this.#possible.map(change).filter((model) => model !== undefined)
    this.#possible = [...this.#possible, ...after]
  }

  /** What differs from the nearest of all possible states; from now on only those are that nothing differs from. */
  compare(rows: Record<ExpectedRecord['kind'], ServiceRow[]>): string[] {
    const compared = this.#possible.map((model) => ({
      book: model,
      differs: findDifferences(model.records, rows, this.#isOrdered),
    }))
    const [nearest] = compared.sort((a, b) => a.differs.length - b.differs.length)
    if (!nearest || nearest.differs.length > 0) return nearest?.differs ?? ['There is no possible state']
    this.#possible = [nearest.book]
    return []
  }
}
