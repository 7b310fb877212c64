import type { Queries, StatementForm } from '../storage/queries.js'
import { type Sql, sql } from '../storage/sql.js'
import type { AuthenticatedUser } from './app.js'

/** The user that a token belonged to when it was last checked. */
export interface ExpectedUser {
  user: AuthenticatedUser
  /** The query for one row as long as the token is valid and the user, with the settings of the company, is as here. */
  check: Sql
  /** Removes this expectation, so that the token is read again. */
  forget(): void
}

/** The token, its user or the settings of the company are not as expected. Nothing was changed. */
export class UnexpectedTokenError extends Error {
  override readonly name = 'UnexpectedTokenError'
  constructor() {
    super('The token is not as it was at its last check.')
  }
}

export interface CheckedQueries extends Queries {
  /** Checks the token unless a statement has. Rejects with UnexpectedTokenError. */
  confirm(): Promise<void>
}

/**
 * Returns queries for a request whose token is yet to be checked: the conditions of its first statement check the token, too,
 * which saves a statement. Every statement rejects with UnexpectedTokenError, without an effect, if the check fails.
 */
export function checkedQueries(queries: Queries, check: Sql): CheckedQueries {
  let isConfirmed = false

  async function confirm() {
    if (isConfirmed) return
    const rows = await queries.all(check)
    if (rows.length === 0) throw new UnexpectedTokenError()
    isConfirmed = true
  }

  return {
    dialect: queries.dialect,
    origin: queries.origin ?? queries,
    confirm,
    async all<Row>(query: Sql, form?: StatementForm) {
      if (form === undefined) await confirm()
      const rows = await queries.all<Row>(query, form)
      // Without a result or an effect, the reason may be the token or another condition.
      if (rows.length === 0) await confirm()
      isConfirmed = true
      return rows
    },
    async transaction(work) {
      await confirm()
      return queries.transaction(work)
    },
    conditionsOf: (form) => [
      ...(queries.conditionsOf?.(form) ?? []),
      ...(isConfirmed ? [] : [sql`exists (${check})`]),
    ],
  }
}
