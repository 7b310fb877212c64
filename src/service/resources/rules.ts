import { invalidFields } from '../http/response.js'
import type { Queries } from '../storage/queries.js'
import { allOf, identifier, joinSql, type Sql, sql } from '../storage/sql.js'
import type { Viewer } from './visibility.js'

/** The fields of a record in SQL: bound values, columns of a stored row, or columns of a staged one. */
export type Expressions = Readonly<Record<string, Sql>>

/** A record as it would be stored, and as it is; `stored` is undefined for a new record. Unchanged fields are the same object. */
export interface Write {
  next: Expressions
  stored?: Expressions | undefined
  /** The day of the start of an entry in the time zone of the company; undefined if no rule needs it. */
  day?: EntryDay | undefined
}

/** A day: its name (YYYY-MM-DD), its first instant, and the first one after it, in epoch milliseconds. */
export interface EntryDay {
  name: string
  from: number
  before: number
}

/** A rule for the records of one kind, which create, update, delete and import apply (docs/internals/service.md). */
export interface Rule {
  field: string
  /** The problem, which continues the name of the field; a function of `detail` where it depends on stored data. */
  message: string | ((detail: unknown) => string)
  /** The value for `message`. */
  detail?(write: Write): Sql
  /** Returns the condition of a valid record, which is never null; undefined for a write that cannot break the rule. */
  condition(write: Write, viewer: Viewer): Sql | undefined
  /** Whether a deletion must keep the rule, too. */
  appliesToDeletion?: boolean
}

/** Whether a write changes a field. */
export function changes({ next, stored }: Write, field: string): boolean {
  return next[field] !== stored?.[field]
}

/**
 * Returns the rules for a field that refers to another record: it must exist, be visible and not be archived. An unchanged
 * reference to a record that was archived later is valid. PostgreSQL locks the record until the end of the statement.
 *
 * @param visible returns the conditions for the records that the user sees
 */
export function referenceRules(field: string, table: string, visible?: (viewer: Viewer) => Sql[]): Rule[] {
  const found =
    (extra: (viewer: Viewer) => { conditions: Sql[]; lock?: Sql }): Rule['condition'] =>
    (write, viewer) => {
      if (!changes(write, field)) return undefined
      const [id, before] = [write.next[field], write.stored?.[field]]
      const { conditions, lock = sql`` } = extra(viewer)
      const isFound = sql`exists (select 1 from ${identifier(table)}
        where ${allOf(sql`${identifier(table, 'id')} = ${id}`, ...conditions)}${lock})`
      return sql`(${id} is null or ${before ? sql`${id} = ${before} or ` : sql``}${isFound})`
    }
  return [
    {
      field,
      message: 'does not exist',
      condition: found((viewer) => ({ conditions: visible?.(viewer) ?? [] })),
    },
    {
      field,
      message: 'is no longer active',
      condition: found(({ queries }) => ({
        conditions: [sql`${identifier(table, 'active')} = 1`],
        lock: shareLock(queries),
      })),
    },
  ]
}

/**
 * Returns the rule that neither the stored nor the new record is in the closed period of the company.
 *
 * @param isClosed returns the condition for the row of the company in whose closed period a value of the field is
 */
export function closedPeriodRule(field: string, isClosed: (value: Sql) => Sql): Rule {
  return {
    field,
    message: (day) => `is in the closed period, up to ${day}`,
    detail: () => sql`(select closed_until from company)`,
    condition(write) {
      const values = [...new Set([write.stored?.[field], write.next[field]])].flatMap((value) => value ?? [])
      return sql`not exists (select 1 from company where ${joinSql(values.map(isClosed), ' or ')})`
    },
    appliesToDeletion: true,
  }
}

/** Returns the end of a query that locks its rows until the end of the transaction. SQLite has one writer at a time. */
export function shareLock({ dialect }: Queries, tables: Sql = sql``): Sql {
  return dialect === 'postgres' ? sql` for share${tables}` : sql``
}

/** Returns the conditions under which a write keeps the rules. */
export function conditionsOf(rules: readonly Rule[], write: Write, viewer: Viewer): Sql[] {
  return rules.flatMap((rule) => rule.condition(write, viewer) ?? [])
}

/** Returns columns for `brokenRules`: which rules a write keeps, and the details of their messages. */
export function ruleColumns(rules: readonly Rule[], write: Write, viewer: Viewer): Sql[] {
  return rules.flatMap((rule, index) => {
    const condition = rule.condition(write, viewer)
    if (!condition) return []
    const isKept = sql`case when ${condition} then 1 else 0 end as ${identifier(`rule_${index}`)}`
    return rule.detail ? [isKept, sql`${rule.detail(write)} as ${identifier(`detail_${index}`)}`] : [isKept]
  })
}

/** Returns the first broken rule of each field, with its problem, in a row of `ruleColumns`. */
export function brokenRules(
  rules: readonly Rule[],
  row: Record<string, unknown>,
): { field: string; message: string }[] {
  const broken = new Map<string, { field: string; message: string }>()
  for (const [index, { field, message }] of rules.entries()) {
    if (row[`rule_${index}`] !== 0 || broken.has(field)) continue
    broken.set(field, {
      field,
      message: typeof message === 'string' ? message : message(row[`detail_${index}`]),
    })
  }
  return [...broken.values()]
}

/** Throws HttpError 422 with the broken rules in a row of `ruleColumns`, if there are any. */
export function throwIfBroken(rules: readonly Rule[], row: Record<string, unknown>): void {
  const broken = brokenRules(rules, row)
  if (broken.length > 0)
    throw invalidFields(Object.fromEntries(broken.map(({ field, message }) => [field, [message]])))
}
