import type { Company } from '../../api-client/types.js'
import { endOfDay, isTimeZone } from '../../lib/calendar/time-zone.js'
import { isCurrency } from '../../lib/currencies.js'
import { TtError } from '../../lib/errors.js'
import { isDay } from '../resources/values.js'
import type { Visibility } from '../storage/schema.js'
import { assignSql, insertInto, sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'
import { validateName } from './validate-name.js'

interface CompanyFields {
  name: string
  /** ISO 4217. */
  currency: string
  /** IANA name. */
  time_zone: string
}

/** Settings of the service for the company. */
export interface CompanySettings {
  /** Whether the service issues and accepts legacy keys. */
  legacy_keys: boolean
  /** The age in days after which legacy keys expire; null for no limit. */
  legacy_key_days: number | null
  /** Whether users see all projects, or only those of their assignments. */
  visibility: Visibility
  /** The last day (YYYY-MM-DD) whose entries and expenses are read-only; null if there is none. */
  closed_until: string | null
}

/** Fields and settings to change. */
export interface CompanyChanges {
  name?: string | undefined
  currency?: string | undefined
  timeZone?: string | undefined
  legacyKeys?: boolean | undefined
  legacyKeyDays?: number | null | undefined
  visibility?: Visibility | undefined
  closedUntil?: string | null | undefined
}

const companyId = 1

/** Creates the company of this database if there is none, and returns the stored one. Safe with parallel processes. */
export async function ensureCompany(storage: Storage, fields: CompanyFields): Promise<Company> {
  const company = { id: companyId, ...validateCompany(fields) }
  await storage.queries.all(sql`${insertInto('company', company)} on conflict (id) do nothing`)
  return getCompany(storage)
}

/** Returns the company of this database. Throws TtError `not_found` when there is none. */
export async function getCompany({ queries }: Storage): Promise<Company & CompanyFields & CompanySettings> {
  type Row = CompanyFields & Omit<CompanySettings, 'legacy_keys'> & { id: number; legacy_keys: number }
  const [company] = await queries.all<Row>(sql`
    select id, name, currency, time_zone, legacy_keys, legacy_key_days, visibility, closed_until from company`)
  if (!company) throw new TtError('not_found', 'This database has no company yet.')
  return { ...company, legacy_keys: company.legacy_keys === 1 }
}

/** Changes the given fields. Throws TtError `usage` for an invalid name, currency, time zone or day. */
export async function updateCompany(
  storage: Storage,
  changes: CompanyChanges,
): Promise<Company & CompanySettings> {
  const stored = await getCompany(storage)
  const fields = validateCompany({
    name: changes.name ?? stored.name,
    currency: changes.currency ?? stored.currency,
    time_zone: changes.timeZone ?? stored.time_zone,
  })
  const { closedUntil } = changes
  if (typeof closedUntil === 'string' && !isDay(closedUntil))
    throw new TtError('usage', `"${closedUntil}" is not a day (YYYY-MM-DD).`)
  await storage.queries.transaction(async (queries) => {
    // Waits for the changes that have begun; those that wait for this transaction find the period closed.
    if (closedUntil !== undefined && queries.dialect === 'postgres')
      await queries.all(sql`lock table time_entries, expenses in share mode`)
    // Other fields stay as they are: another administrator may change them at the same time.
    const assignments = assignSql({
      id: companyId,
      name: changes.name === undefined ? undefined : fields.name,
      currency: changes.currency,
      time_zone: changes.timeZone,
      legacy_keys: changes.legacyKeys === undefined ? undefined : Number(changes.legacyKeys),
      legacy_key_days: changes.legacyKeyDays,
      visibility: changes.visibility,
      closed_until: closedUntil,
    })
    await queries.all(sql`update company set ${assignments} where id = ${companyId}`)
    const { closed_until, time_zone } = await getCompany({ ...storage, queries })
    const closedBefore = closed_until === null ? null : await endOfDay(closed_until, time_zone)
    await queries.all(sql`update company set closed_before = ${closedBefore} where id = ${companyId}`)
  })
  return getCompany(storage)
}

/** Returns the number of running entries in the closed period, which their users cannot stop. */
export async function countClosedTimers({ queries }: Storage): Promise<number> {
  const [timers] = await queries.all<{ count: number }>(sql`
    select count(*) as count from time_entries
    where time_end is null and time_start < (select closed_before from company)`)
  return timers?.count ?? 0
}

function validateCompany({ name, currency, time_zone }: CompanyFields): CompanyFields {
  if (!isCurrency(currency)) {
    throw new TtError('usage', `"${currency}" is not a currency code of ISO 4217.`, {
      hint: 'Use a code such as EUR.',
    })
  }
  if (!isTimeZone(time_zone)) {
    throw new TtError('usage', `"${time_zone}" is not a time zone.`, {
      hint: 'Use an IANA name, such as Europe/Berlin.',
    })
  }
  return { name: validateName('company', name), currency, time_zone }
}
