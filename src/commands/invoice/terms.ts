import type { Context } from '../../cli/context.js'
import { expandHome } from '../../config/paths.js'
import type { Settings } from '../../config/settings/settings.js'
import { addDays } from '../../lib/calendar/day.js'
import { TtError } from '../../lib/errors.js'
import type { InvoiceLocale, TaxCategory } from '../../lib/invoice-words.js'
import { fold } from '../../lib/text/nearest-names.js'
import type { Party } from '../../records/shapes/invoices.js'
import type { InvoiceTerms } from '../../report/invoice/document.js'
import type { TaxTerms } from '../../report/invoice/lines.js'
import type { Named } from '../../tracking/catalog/catalog.js'

type Values = Readonly<Record<string, string>>

/** Returns the settings of a client, by the names after `client.NAME.`. Upper and lower case and accents do not matter. */
export function settingsOfClient({ clients }: Settings, client: string): Values {
  const name = fold(client)
  const own = Object.entries(clients).filter(([typed]) => fold(typed) === name)
  return Object.assign({}, ...own.map(([, values]) => values))
}

/** Returns the required settings that are missing, with what they are. */
export function missingSettings(settings: Settings, client: string | undefined): string[] {
  const own = client === undefined ? {} : settingsOfClient(settings, client)
  const missing: string[] = []
  if (settings.invoice['sender.name'] === undefined) missing.push('invoice.sender.name')
  const tax = own.tax ?? settings.invoice.tax
  if (tax === undefined) missing.push('invoice.tax')
  else if (Number(tax) === 0 && categoryOf(settings.invoice, own) === undefined)
    missing.push(own.tax === undefined ? 'invoice.tax_category' : `client.${client}.tax_category`)
  return missing
}

/** Returns what an invoice of a client says. Throws TtError `usage` for missing or contradictory settings. */
export function termsOf(
  settings: Settings,
  { client, date, currency }: { client: Named; date: string; currency: string },
): InvoiceTerms {
  const [missing] = missingSettings(settings, client.name)
  if (missing !== undefined) {
    throw new TtError('usage', `The setting ${missing} is missing.`, {
      hint: `Run \`tt invoice --setup\`, or set it: \`tt config set ${missing} …\`.`,
    })
  }
  const { invoice } = settings
  const own = settingsOfClient(settings, client.name)
  const due = own.due ?? invoice.due
  const sender = Object.entries(invoice).flatMap(([name, value]) =>
    name.startsWith('sender.') ? [[name.slice('sender.'.length), value] as const] : [],
  )
  return {
    ...{ currency, locale: (own.locale ?? invoice.locale) as InvoiceLocale },
    tax: taxOf(invoice, own, client.name),
    sender: partyOf(Object.fromEntries(sender), ''),
    ...{ client: client.name, client_id: client.id, recipient: partyOf(own, client.name) },
    reference: own.reference ?? null,
    due: due === undefined ? null : addDays(date, Number(due)),
    iban: invoice.iban ?? null,
    note: invoice.note ?? null,
    logo: null,
  }
}

/** Returns the logo as a data URL; null without one. */
export async function logoOf(ctx: Context, { invoice }: Settings): Promise<string | null> {
  if (invoice.logo === undefined) return null
  const { readLogo } = await import('../../report/invoice/logo.js')
  return readLogo(expandHome(invoice.logo, ctx.host.env))
}

function partyOf(values: Values, name: string): Party {
  const value = (key: string) => values[key] ?? null
  return {
    ...{ name: values.name ?? name, street: value('street'), city: value('city') },
    ...{ postal_code: value('postal_code'), country: value('country') },
    ...{ tax_id: value('tax_id'), vat_id: value('vat_id'), email: value('email') },
  }
}

function taxOf(invoice: Values, own: Values, client: string): TaxTerms {
  const percent = own.tax ?? invoice.tax ?? '0'
  const category = categoryOf(invoice, own) ?? 'standard'
  const hasTax = Number(percent) > 0
  if (hasTax === (category === 'standard')) {
    const reason = own.tax_reason ?? (own.tax_category === undefined ? invoice.tax_reason : undefined)
    return { category, percent, reason: hasTax ? null : (reason ?? null) }
  }
  throw new TtError('usage', `The tax of ${percent}% and the category ${category} contradict each other.`, {
    hint: `Only the category standard has a tax. Set invoice.tax and invoice.tax_category, or client.${client}.tax and client.${client}.tax_category.`,
  })
}

/** Returns the category of the tax; undefined if none is set and there is no tax. */
function categoryOf(invoice: Values, own: Values): TaxCategory | undefined {
  // A tax of the client is not in the category of the others.
  const typed = own.tax_category ?? (own.tax === undefined ? invoice.tax_category : undefined)
  if (typed !== undefined) return typed as TaxCategory
  return Number(own.tax ?? invoice.tax) > 0 ? 'standard' : undefined
}
