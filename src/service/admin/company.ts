import type { Company } from '../../api-client/types.js'
import { isCurrency } from '../../lib/currencies.js'
import { TtError } from '../../lib/errors.js'
import { isTimeZone } from '../resources/time-zone.js'
import type { Storage } from '../storage/storage.js'
import { validateName } from './validate-name.js'

interface CompanyFields {
  name: string
  /** ISO 4217. */
  currency: string
  /** IANA name. */
  time_zone: string
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
export async function getCompany({ db }: Storage): Promise<Company & CompanyFields> {
  const company = await db.selectFrom('company').selectAll().executeTakeFirst()
  if (company) return company
  throw new TtError('not_found', 'This database has no company yet.')
}

/** Changes the given fields. Throws TtError `usage` for an invalid name, currency or time zone. */
export async function updateCompany(
  storage: Storage,
  changes: { name?: string | undefined; currency?: string | undefined; timeZone?: string | undefined },
): Promise<Company> {
  const stored = await getCompany(storage)
  const { id, ...fields } = {
    ...stored,
    ...validateCompany({
      name: changes.name ?? stored.name,
      currency: changes.currency ?? stored.currency,
      time_zone: changes.timeZone ?? stored.time_zone,
    }),
  }
  await storage.db.updateTable('company').set(fields).where('id', '=', Number(id)).execute()
  return { id, ...fields }
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
