import { isDeepStrictEqual } from 'node:util'

/** A record that must exist. Its notes start with its mark, or with that of the first of several equal records. */
export interface ExpectedRecord {
  kind: 'entry' | 'expense'
  /** Its number in the order of creation, such as the 17 of `#17 phone`. Equal records have different ones. */
  mark: number
  /** The expected fields of the row at the service; times as epoch milliseconds, amounts as numbers. */
  fields: Readonly<Record<string, unknown>>
  /** Whether it was deleted and restored: its place in the order of creation is unknown. */
  isRestored?: boolean
}

/** A record as the service returns it. */
export type ServiceRow = Readonly<Record<string, unknown>>

/** A state of the records, with the states before it for undo. */
export interface Model {
  readonly records: readonly ExpectedRecord[]
  /** Most recent last. */
  readonly history: readonly (readonly ExpectedRecord[])[]
}

const emptyModel: Model = { records: [], history: [] }

/** More steps than any test undoes. */
const longestHistory = 12

/** Returns the model after a change. */
export function nextModel(model: Model, records: readonly ExpectedRecord[]): Model {
  return { records, history: [...model.history, model.records].slice(-longestHistory) }
}

/**
 * Returns the model after the last `steps` changes are undone. Restored records have an unknown place in the order.
 * Throws if there are fewer changes.
 */
export function undoChanges(model: Model, steps = 1): Model {
  const before = model.history.at(-steps)
  if (!before) throw new Error('There is nothing to undo.')
  const current = new Map(model.records.map((record) => [nameOf(record), record]))
  const records = before.map((record) => {
    const now = current.get(nameOf(record))
    return now && !now.isRestored ? record : { ...record, isRestored: true }
  })
  return { records, history: model.history.slice(0, -steps) }
}

const nameOf = ({ kind, mark }: ExpectedRecord) => `${kind} #${mark}`

/** Returns the mark in the notes of a record: equal records have the same one. */
export const sharedMark = ({ mark, fields }: ExpectedRecord) => markOf(fields) ?? mark

/** Returns the name of a record in differences; the same for equal records. */
export const sharedName = (record: ExpectedRecord) => `${record.kind} #${sharedMark(record)}`

/**
 * Compares expected records with those of the service. Returns one line per difference: missing, duplicate or unknown
 * records, different values, and records created in another order.
 *
 * @param isOrdered whether the service must have created the records in the order of their commands
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
  const lines: string[] = []
  for (const row of rows) {
    const mark = markOf(row)
    const name = mark === undefined ? 'none' : `${kind} #${mark}`
    if (mark === undefined) lines.push(`${kind} ${row.id} is unknown: ${JSON.stringify(row)}`)
    else found.set(name, [...(found.get(name) ?? []), row])
  }
  const inOrder: { name: string; id: number }[] = []
  const expected = new Map<string, ExpectedRecord[]>()
  for (const record of records) {
    const name = sharedName(record)
    expected.set(name, [...(expected.get(name) ?? []), record])
  }
  for (const [name, equal] of expected) {
    const all = found.get(name) ?? []
    found.delete(name)
    const remaining = [...all]
    const findRow = (record: ExpectedRecord) => {
      const at = remaining.findIndex((row) => isDeepStrictEqual(valuesOf(record, row), record.fields))
      return at === -1 ? undefined : remaining.splice(at, 1)[0]
    }
    const different = equal.filter((record) => !findRow(record))
    for (const { fields } of different) {
      const row = remaining.shift()
      if (!row) lines.push(`${name} is missing: ${JSON.stringify(fields)}`)
      else {
        const values = JSON.stringify(valuesOf({ fields }, row))
        lines.push(`${name} is ${values} and should be ${JSON.stringify(fields)}`)
      }
    }
    const count = equal.length === 1 ? '' : `, ${equal.length} are expected`
    if (remaining.length > 0) lines.push(`${name} exists ${all.length} times${count}`)
    // The order of equal records is unknown. The local ID of a pending record does not show the order of creation.
    const [record, row] = [equal[0], all[0]]
    if (!record || !row || equal.length > 1 || record.isRestored) continue
    if (Number.isFinite(Number(row.id))) inOrder.push({ name, id: Number(row.id) })
  }
  for (const [name, rows] of found) lines.push(`${name} exists (${rows.length}) and should not`)
  return [...lines, ...(isOrdered ? outOfOrder(inOrder) : [])]
}

/** Returns the fields of a row that are expected of it. */
function valuesOf({ fields }: Pick<ExpectedRecord, 'fields'>, row: ServiceRow): Record<string, unknown> {
  return Object.fromEntries(Object.keys(fields).map((key) => [key, comparable(key, row[key])]))
}

/** Lists the records that were created too early. */
function outOfOrder(records: readonly { name: string; id: number }[]): string[] {
  return records.slice(1).flatMap((record, index) => {
    const before = records[index]
    if (!before || before.id < record.id) return []
    return [`${record.name} (id ${record.id}) was created before ${before.name} (id ${before.id})`]
  })
}

/** Returns the number at the start of the notes. */
export function markOf(row: ServiceRow): number | undefined {
  const mark = /^#(\d+)\b/.exec(String(row.notes))?.[1]
  return mark === undefined ? undefined : Number(mark)
}

function comparable(key: string, value: unknown): unknown {
  if ((key === 'time_start' || key === 'time_end') && typeof value === 'string') return Date.parse(value)
  if (key === 'amount') return Number(value)
  return value
}

/** All states that the records may be in: a command that was killed has changed either everything or nothing. */
export class PossibleModels {
  #possible: readonly Model[] = [emptyModel]
  readonly #isOrdered: boolean

  /** @param isOrdered whether the service must have created the records in the order of their commands */
  constructor(isOrdered = true) {
    this.#isOrdered = isOrdered
  }

  /** The only possible state; throws if there are several. */
  get model(): Model {
    const [model, other] = this.#possible
    if (!model || other) throw new Error(`There are ${this.#possible.length} possible states.`)
    return model
  }

  get count(): number {
    return this.#possible.length
  }

  /** Applies a command that succeeded. `change` returns undefined for states in which it could not have succeeded. */
  apply(change: (model: Model) => Model | undefined) {
    this.#possible = this.#possible.map(change).filter((model) => model !== undefined)
    if (this.#possible.length === 0) throw new Error('No possible state allows this change.')
  }

  /** Applies a command whose outcome is unknown. */
  applyUncertain(change: (model: Model) => Model | undefined) {
    const after = this.#possible.map(change).filter((model) => model !== undefined)
    this.#possible = [...this.#possible, ...after]
  }

  /**
   * Compares the records with every possible state. Returns the fewest differences; if there are none, only that state
   * remains possible.
   */
  compare(rows: Record<ExpectedRecord['kind'], ServiceRow[]>): string[] {
    const compared = this.#possible.map((model) => ({
      model,
      differences: findDifferences(model.records, rows, this.#isOrdered),
    }))
    const [nearest] = compared.sort((a, b) => a.differences.length - b.differences.length)
    if (!nearest || nearest.differences.length > 0)
      return nearest?.differences ?? ['There is no possible state.']
    this.#possible = [nearest.model]
    return []
  }
}
