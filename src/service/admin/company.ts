import type { Company } from '../../api/types.js'
import { TtError } from '../../lib/errors.js'
import { isTimeZone } from '../resources/time-zone.js'
import { isCurrency } from '../resources/values.js'
import type { Storage } from '../storage/storage.js'
import { validateName } from './names.js'

interface CompanyFields {
  name: string
  /** ISO 4217. */
  currency: string
  /** IANA name. */
  time_zone: string
}

const onlyCompany = 1

/** Makes the company of this database unless there is one, also with two processes at once; answers what is there. */
export async function ensureCompany(storage: Storage, fields: CompanyFields): Promise<Company> {
  const company = { id: onlyCompany, ...validateCompany(fields) }
  await storage.db
    .insertInto('company')
    .values(company)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  return getCompany(storage)
}

/** The company of this database. Throws TtError `not_found` when it has none yet. */
export async function getCompany({ db }: Storage): Promise<Company & CompanyFields> {
  const company = await db.selectFrom('company').selectAll().executeTakeFirst()
  if (company) return company
  throw new TtError('not_found', 'This database has no company yet.')
}

/** Changes what is given. Throws TtError `usage` for a currency or time zone that is none. */
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
    throw new TtError('usage', `"${currency}" is not a currency.`, {
      hint: 'Give a code of ISO 4217, such as EUR.',
    })
  }
  if (!isTimeZone(time_zone)) {
    throw new TtError('usage', `"${time_zone}" is not a time zone.`, {
      hint: 'Give an IANA name, such as Europe/Berlin.',
    })
  }
  return { name: validateName('company', name), currency, time_zone }
}
