import { assertFreeDescriptors } from './database-errors.js'

/** The part of both drivers that is used here. They share the API of better-sqlite3, except for passing parameters. */
export interface Driver {
  exec(sql: string): unknown
  prepare(sql: string): DriverStatement
  close(): void
  /** Whether a transaction is open. Only libsql has it. */
  readonly inTransaction?: boolean
}

/** `defensive: false` lets `node:sqlite` change the schema directly, as libsql always does. */
type DriverClass = new (path: string, options?: { defensive: false }) => Driver

/** A column of the result of a query. */
export interface ResultColumn {
  name: string
  /** The declared type of its column of a table; null for an expression, or without a type. */
  type?: string | null
}

export interface DriverStatement {
  all(...parameters: unknown[]): unknown[]
  /** Returns the first row, to which libsql adds the field `_metadata`. */
  get(...parameters: unknown[]): unknown
  run(...parameters: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  iterate(...parameters: unknown[]): IterableIterator<unknown>
  columns?(): ResultColumn[]
}

const builtinDriver = findBuiltinDriver()

/** The name of the driver that this runtime uses. */
export const driverName = builtinDriver ? 'node:sqlite' : 'libsql'

/** Loads `node:sqlite` if the runtime has it, otherwise `libsql`. Rejects with TtError `failure` when it cannot. */
export async function loadDriver(): Promise<DriverClass> {
  // The native driver ends the process when it runs out of file descriptors, and nothing can catch that.
  assertFreeDescriptors()
  return builtinDriver ?? ((await import('libsql')).default as DriverClass)
}

/**
 * Returns the parameters as the driver expects them: `node:sqlite` one by one, because it takes a single null for named
 * parameters, and libsql as one list. Booleans become 0 and 1: libsql would end the process.
 */
export function toDriverParameters(parameters: readonly unknown[]): readonly unknown[] {
  const bound = parameters.some(isBoolean)
    ? parameters.map((value) => (isBoolean(value) ? Number(value) : value))
    : parameters
  return builtinDriver ? bound : [bound]
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

/** Returns the class of `node:sqlite`, if there is one. Suppresses the warning that it is experimental. */
function findBuiltinDriver(): DriverClass | undefined {
  const emitWarning = process.emitWarning
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).includes('SQLite')) Reflect.apply(emitWarning, process, [warning, ...rest])
  }) as typeof process.emitWarning
  try {
    const sqlite: unknown = process.getBuiltinModule('node:sqlite')
    return (sqlite as { DatabaseSync: DriverClass } | undefined)?.DatabaseSync
  } finally {
    process.emitWarning = emitWarning
  }
}
