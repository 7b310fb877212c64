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
 * Returns queries for a request whose token is yet to be checked: its first statement checks the token, too, which saves
 * the time of a statement. Every statement rejects with UnexpectedTokenError, without an effect, if the check fails.
 */
export function checkedQueries(queries: Queries, check: Sql): CheckedQueries {
  let isConfirmed = false

  async function confirm() {
    if (isConfirmed) return
    const rows = await queries.all(check)
    if (rows.length === 0) throw new UnexpectedTokenError()
    isConfirmed = true
  }

  /** Returns the row of a query, if there is one, from one statement with the check. */
  async function readChecked<Row>(query: Sql): Promise<Row[]> {
    const rows = await queries.all<Row & { has_result: 1 | null }>(sql`
      select result.* from (${check}) as expected
      left join (select 1 as has_result, found.* from (${query}) as found) as result on 1 = 1`)
    if (rows.length === 0) throw new UnexpectedTokenError()
    isConfirmed = true
    return rows.filter((row) => row.has_result !== null)
  }

  return {
    dialect: queries.dialect,
    origin: queries.origin ?? queries,
    confirm,
    async all<Row>(query: Sql, form?: StatementForm) {
      if (isConfirmed) return queries.all(query, form)
      if (form === 'row') return readChecked(query)
      if (form !== 'change') await confirm()
      const rows = await queries.all<Row>(query, form)
      // Without an effect, the reason may be the token or another condition.
      if (rows.length === 0) await confirm()
      isConfirmed = true
      return rows
    },
    async transaction(work) {
      await confirm()
      return queries.transaction(work)
    },
    get changeConditions() {
      const conditions = queries.changeConditions ?? []
      return isConfirmed ? conditions : [...conditions, sql`exists (${check})`]
    },
  }
}
