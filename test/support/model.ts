import { isDeepStrictEqual } from 'node:util'

/** A record that must be there, as it was typed. Its notes begin with its mark, and keep it. */
export interface Expected {
  kind: 'entry' | 'expense'
  /** Its number in the order of creation, such as the 17 of `#17 phone`. */
  mark: number
  /** What must stand in the row at the service; times as epoch milliseconds, amounts as numbers. */
  fields: Readonly<Record<string, unknown>>
  /** It was deleted and came back: where it stands in the order is not known. */
  revived?: boolean
}

/** A row of the service, as it answers it. */
export type ServiceRow = Readonly<Record<string, unknown>>

/** One state that the records may be in, and the ones before it that undo leads back to. */
export interface Book {
  readonly records: readonly Expected[]
  /** The last is the most recent. */
  readonly history: readonly (readonly Expected[])[]
}

export const emptyBook: Book = { records: [], history: [] }

/** As many steps as are ever undone. */
const longestHistory = 12

/** The book after a change. */
export function turned(book: Book, records: readonly Expected[]): Book {
  return { records, history: [...book.history, book.records].slice(-longestHistory) }
}

/** The book after the last `steps` changes have been undone. What had been deleted is made anew, at an unknown place. */
export function undone(book: Book, steps = 1): Book {
  const before = book.history.at(-steps)
  if (!before) throw new Error('There is nothing to undo.')
  const standing = new Map(book.records.map((record) => [nameOf(record), record]))
  const records = before.map((record) => {
    const now = standing.get(nameOf(record))
    return now && !now.revived ? record : { ...record, revived: true }
  })
  return { records, history: book.history.slice(0, -steps) }
}

const nameOf = ({ kind, mark }: Expected) => `${kind} #${mark}`

/**
 * What differs between what was typed and what the service has, each in a line: what is missing, what is there twice,
 * what was never typed, what has other values, and what was created in another order. Nothing, when all is well.
 *
 * @param isOrdered whether records must have been created in the order in which they were typed
 */
export function differences(
  records: readonly Expected[],
  rows: Record<Expected['kind'], ServiceRow[]>,
  isOrdered = true,
): string[] {
  return (['entry', 'expense'] as const).flatMap((kind) =>
    differencesOf(kind, records, rows[kind], isOrdered),
  )
}

function differencesOf(
  kind: Expected['kind'],
  all: readonly Expected[],
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
    if (!record.revived && Number.isFinite(Number(row.id))) inOrder.push({ name, id: Number(row.id) })
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
export class Ledger {
  #possible: readonly Book[] = [emptyBook]
  readonly #isOrdered: boolean

  /** @param isOrdered whether records must have been created in the order in which they were typed */
  constructor(isOrdered = true) {
    this.#isOrdered = isOrdered
  }

  /** Where there is no doubt. */
  get book(): Book {
    const [book, other] = this.#possible
    if (!book || other) throw new Error(`There are ${this.#possible.length} possible states.`)
    return book
  }

  get doubts(): number {
    return this.#possible.length
  }

  /** A command was done. `change` answers undefined where it could not have been. */
  done(change: (book: Book) => Book | undefined) {
    this.#possible = this.#possible.map(change).filter((book) => book !== undefined)
    if (this.#possible.length === 0) throw new Error('What was done was not possible.')
  }

  /** A command was killed: it was done, or not. */
  maybeDone(change: (book: Book) => Book | undefined) {
    const after = this.#possible.map(change).filter((book) => book !== undefined)
    this.#possible = [...this.#possible, ...after]
  }

  /** What differs from the nearest of all possible states; from now on only those are that nothing differs from. */
  compare(rows: Record<Expected['kind'], ServiceRow[]>): string[] {
    const compared = this.#possible.map((book) => ({
      book,
      differs: differences(book.records, rows, this.#isOrdered),
    }))
    const [nearest] = compared.sort((a, b) => a.differs.length - b.differs.length)
    if (!nearest || nearest.differs.length > 0) return nearest?.differs ?? ['There is no possible state']
    this.#possible = [nearest.book]
    return []
  }
}
