import { type Book, type Expected, turned } from './model.js'

/** What commands make of a book. */

export const isRunning = ({ kind, fields }: Expected) => kind === 'entry' && fields.time_end === null

export const runningIn = ({ records }: Book) => records.find(isRunning)

export function created(book: Book, record: Expected): Book {
  return turned(book, [...book.records, record])
}

/** The timer is started; what runs is stopped at that moment. */
export function started(book: Book, record: Expected): Book {
  return turned(book, [...ended(book, { time_end: record.fields.time_start }), record])
}

/** The timer is stopped. Undefined where none runs. */
export function stopped(book: Book, fields: Expected['fields']): Book | undefined {
  return runningIn(book) && turned(book, ended(book, fields))
}

export function changed(book: Book, { kind, mark }: Expected, fields: Expected['fields']): Book {
  const is = (record: Expected) => record.kind === kind && record.mark === mark
  return turned(
    book,
    book.records.map((record) => (is(record) ? withFields(record, fields) : record)),
  )
}

export function removed(book: Book, gone: (record: Expected) => boolean): Book {
  return turned(
    book,
    book.records.filter((record) => !gone(record)),
  )
}

function ended({ records }: Book, fields: Expected['fields']): Expected[] {
  return records.map((record) => (isRunning(record) ? withFields(record, fields) : record))
}

const withFields = (record: Expected, fields: Expected['fields']): Expected => ({
  ...record,
  fields: { ...record.fields, ...fields },
})
