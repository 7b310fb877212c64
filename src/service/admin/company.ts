import type { Company } from '../../api-client/types.js'
import { isCurrency } from '../../lib/currencies.js'
import { TtError } from '../../lib/errors.js'
import { isTimeZone } from '../resources/time-zone.js'
import type { Visibility } from '../storage/schema.js'
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
}

/** Fields and settings to change. */
export interface CompanyChanges {
  name?: string | undefined
  currency?: string | undefined
  timeZone?: string | undefined
  legacyKeys?: boolean | undefined
  legacyKeyDays?: number | null | undefined
  visibility?: Visibility | undefined
}

const companyId = 1

/** Creates the company of this database if there is none, and returns the stored one. Safe with parallel processes. */
export async function ensureCompany(storage: Storage, fields: CompanyFields): Promise<Company> {
  const company = { id: companyId, ...validateCompany(fields) }
  await storage.db
    .insertInto('company')
    .values(company)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  return getCompany(storage)
}

/** Returns the company of this database. Throws TtError `not_found` when there is none. */
export async function getCompany({ db }: Storage): Promise<Company & CompanyFields & CompanySettings> {
  const company = await db.selectFrom('company').selectAll().executeTakeFirst()
  if (company) return { ...company, legacy_keys: company.legacy_keys === 1 }
  throw new TtError('not_found', 'This database has no company yet.')
}

/** Changes the given fields. Throws TtError `usage` for an invalid name, currency or time zone. */
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
  // Other fields stay as they are: another administrator may change them at the same time.
  await storage.db
    .updateTable('company')
    .set({
      id: companyId,
      name: changes.name === undefined ? undefined : fields.name,
      currency: changes.currency,
      time_zone: changes.timeZone,
      legacy_keys: changes.legacyKeys === undefined ? undefined : Number(changes.legacyKeys),
      legacy_key_days: changes.legacyKeyDays,
      visibility: changes.visibility,
    })
    .where('id', '=', companyId)
    .execute()
  return getCompany(storage)
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
