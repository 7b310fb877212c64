import { watchWait } from '../../lib/lock.js'
import { monotonicMs } from '../../lib/monotonic-clock.js'
import type { Sqlite, SqliteStatement } from '../../lib/sqlite/connection.js'
import { isBusyError } from '../../lib/sqlite/database-errors.js'
import { type Queries, runTransaction } from './queries.js'
import { allOf, type Sql, toSqlText } from './sql.js'
import { DatabaseUnavailableError, type StorageLimits } from './unavailable.js'

/**
 * Returns queries on a SQLite connection. They wait while a transaction of theirs uses the connection, and belong to the
 * one that `Sqlite.exclusively` has begun.
 *
 * With `limits`, they wait for up to `lockMs` without blocking this process while another process has locked the file, and
 * then throw DatabaseUnavailableError. Without, SQLite waits, and its error is thrown.
 */
export function createSqliteQueries(sqlite: Sqlite, limits?: Pick<StorageLimits, 'lockMs'>): Queries {
  const withoutWaiting: Sqlite['withoutWaiting'] = limits ? sqlite.withoutWaiting : (work) => work()
  const runStatement = statementRunner(sqlite)
  const run = (query: Sql) => withoutWaiting(() => runStatement(query))
  const begin = () => withoutWaiting(() => sqlite.exec('BEGIN IMMEDIATE'))
  /** The turn of the last transaction; undefined while none is open or waits for its turn. */
  let lastTurn: Promise<void> | undefined

  /** Waits for the transactions before, and returns the function that ends the turn. */
  const takeTurn = async (): Promise<() => void> => {
    const previous = lastTurn
    let end = () => {}
    const turn = new Promise<void>((resolve) => {
      end = () => {
        if (lastTurn === turn) lastTurn = undefined
        resolve()
      }
    })
    lastTurn = turn
    await previous
    return end
  }

  /** Makes an attempt, and repeats it while another process has locked the file. Others continue between the attempts. */
  const untilUnlocked = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
    // The time for which a request waits for others that wait for the lock counts too.
    const deadlineMs = monotonicMs() + (limits?.lockMs ?? 0)
    let checkWait: (() => void) | undefined
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        if (!limits || !isBusyError(error)) throw error
        if (monotonicMs() >= deadlineMs) throw new DatabaseUnavailableError(error)
      }
      checkWait ??= watchWait('Waiting: another program keeps the database locked.')
      checkWait()
      await pause()
    }
  }

  /** Runs a statement; returns undefined if it has to wait. The promises of a wait take a tenth of a short request. */
  const runAtOnce = (query: Sql): unknown[] | undefined => {
    if (lastTurn) return undefined
    try {
      return run(query)
    } catch (error) {
      if (limits && isBusyError(error)) return undefined
      throw error
    }
  }

  const runWhenUnlocked = (query: Sql): Promise<unknown[]> =>
    untilUnlocked(async () => {
      // This continues before any transaction that begins later.
      if (lastTurn) await lastTurn
      return run(query)
    })

  const isInUse = () => lastTurn !== undefined || sqlite.isExclusive
  const changeInGroup = groupChanges(sqlite, { run, begin, isInUse })
  const all = async <Row>(query: Sql) =>
    (sqlite.isExclusive ? run(query) : (runAtOnce(query) ?? (await runWhenUnlocked(query)))) as Row[]
  const queries: Queries = {
    dialect: 'sqlite',
    all,
    read: (conditions, build) => all(build(allOf(...conditions))),
    async change<Row>(conditions: readonly Sql[], build: (where: Sql) => Sql) {
      const query = build(allOf(...conditions))
      if (sqlite.isExclusive) return run(query) as Row[]
      return ((await changeInGroup(query)) ?? (await runWhenUnlocked(query))) as Row[]
    },
    async transaction(work) {
      if (sqlite.isExclusive) return sqlite.exclusively(() => work(queries))
      const endTurn = await untilUnlocked(async () => {
        const end = await takeTurn()
        try {
          // Every transaction writes. If it took the write lock only at its first write, it would have to start again when
          // another process has written in between.
          begin()
          return end
        } catch (error) {
          end()
          throw error
        }
      })
      const connection = {
        run: async <Row>(query: Sql) => run(query) as Row[],
        commit: async () => sqlite.commit(),
        rollBack: async () => sqlite.rollBack(),
      }
      return runTransaction('sqlite', connection, work).finally(endTurn)
    },
  }
  return queries
}

/** Upper bound for the pause between two attempts to lock the file, in milliseconds. */
const maxPauseMs = 20

const pause = () => new Promise((resolve) => setTimeout(resolve, maxPauseMs * (0.2 + 0.8 * Math.random())))

/** Upper bound for cached statements. The program itself has fewer; filters add more. */
const maxStatements = 100

/** Returns the function that runs a statement and returns its rows. Each statement is prepared once. */
function statementRunner(sqlite: Sqlite): (query: Sql) => unknown[] {
  const statements = new Map<string, SqliteStatement>()
  const prepare = (text: string) => {
    const [oldest] = statements.keys()
    if (oldest !== undefined && statements.size >= maxStatements) statements.delete(oldest)
    const statement = sqlite.prepare(text)
    statements.set(text, statement)
    return statement
  }
  return (query) => {
    const text = toSqlText(query, 'sqlite')
    return (statements.get(text) ?? prepare(text)).all(query.values)
  }
}

interface Change {
  query: Sql
  resolve(rows: unknown[] | undefined): void
  reject(error: unknown): void
}

/**
 * Returns a function that runs the changes of all requests of a turn of the event loop in one transaction (group commit):
 * a commit waits for the disk, which takes longer than ten changes. It resolves after the commit, or to undefined if the
 * transaction was rolled back or another one is open: each change is then run by itself, and has its own error.
 */
function groupChanges(
  sqlite: Sqlite,
  { run, begin, isInUse }: { run(query: Sql): unknown[]; begin(): void; isInUse(): boolean },
): (query: Sql) => Promise<unknown[] | undefined> {
  let group: Change[] = []
  const runInTransaction = (changes: readonly Change[]): unknown[][] | undefined => {
    if (isInUse()) return undefined
    try {
      begin()
      return changes.map(({ query }) => run(query))
    } catch {
      sqlite.rollBack()
      return undefined
    }
  }
  const commitGroup = () => {
    const changes = group
    group = []
    const results = runInTransaction(changes)
    try {
      if (results) sqlite.commit()
      for (const [index, { resolve }] of changes.entries()) resolve(results?.[index])
    } catch (error) {
      for (const { reject } of changes) reject(error)
    }
  }
  return (query) =>
    new Promise((resolve, reject) => {
      if (group.push({ query, resolve, reject }) === 1) setImmediate(commitGroup)
    })
}
