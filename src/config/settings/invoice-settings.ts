import { invoiceLocales, taxCategories } from '../../lib/invoice-words.js'
import type { Setting } from './setting-table.js'
import {
  readCountry,
  readCurrency,
  readEmail,
  readIban,
  readLine,
  readLines,
  readOneOf,
  readPath,
  readPercent,
  readWholeDays,
} from './setting-values.js'
import { defaultSettings } from './settings.js'

interface Field extends Pick<Setting, 'type' | 'description' | 'example'> {
  default?: string
  /** Throws TtError `usage`; returns the text to store. */
  read(text: string): string
}

const text = (description: string, example: string): Field => ({
  ...{ type: 'text', description, example, read: readLine },
})

/** The address and IDs of a party. */
const partyFields: Readonly<Record<string, Field>> = {
  name: text('name', 'Ada Lovelace'),
  street: text('street and number', '12 Analytical St'),
  city: text('city', 'London'),
  postal_code: text('postal code', 'W1J 7NT'),
  country: { type: 'country code', description: 'country (ISO 3166)', example: 'GB', read: readCountry },
  tax_id: text('tax number', '143/123/45678'),
  vat_id: text('VAT ID', 'DE123456789'),
  email: { type: 'email', description: 'email address', example: 'ada@example.com', read: readEmail },
}

/** The terms that a client can have of its own. */
const termFields: Readonly<Record<string, Field>> = {
  tax: { type: 'percent', description: 'tax in percent', example: '19', read: readPercent },
  tax_category: {
    type: 'tax category',
    description: `category of the tax: ${taxCategories.join(', ')} (default: standard if there is a tax)`,
    example: 'reverse_charge',
    read: (typed) => readOneOf(typed, taxCategories),
  },
  tax_reason: text('why there is no tax, as text on the invoice', 'Small business, § 19 UStG'),
  due: { type: 'days', description: 'days until payment is due', example: '14', read: readWholeDays },
  locale: {
    type: 'language',
    description: `language of labels, dates and numbers: ${invoiceLocales.join(', ')}`,
    example: 'de',
    read: (typed) => readOneOf(typed, invoiceLocales),
  },
}

const ownFields: Readonly<Record<string, Field>> = {
  number: {
    ...text(
      'pattern of the numbers: {n} or {n:3} counts, with {year}, {month} and {day}',
      'INV-{year}-{n:4}',
    ),
    type: 'pattern',
    default: defaultSettings.invoice.number,
  },
  start: text('number at which the current series begins, after those of another program', '2024-042'),
  ...termFields,
  locale: { ...(termFields.locale as Field), default: defaultSettings.invoice.locale },
  iban: {
    type: 'IBAN',
    description: 'account for the payment',
    example: 'DE89370400440532013000',
    read: readIban,
  },
  note: {
    type: 'text',
    description: 'text below the total, with \\n between lines',
    example: 'Thank you!',
    read: (typed) => readLines(typed).join('\n'),
  },
  logo: { type: 'path', description: 'PNG or SVG file at the top', example: '~/logo.svg', read: readPath },
}

const clientFields: Readonly<Record<string, Field>> = {
  ...partyFields,
  name: text('name on the invoice (default: that of the client)', 'Acme Ltd'),
  ...termFields,
  currency: { type: 'currency code', description: 'currency (ISO 4217)', example: 'EUR', read: readCurrency },
  reference: text('reference or order number of the client', 'PO-7'),
}

/** The settings of invoices: of the user, and of clients. */
export const invoiceSettings: readonly Setting[] = [
  ...settingsOf('invoice.sender.', partyFields, (what) => `invoices: your ${what}`, 'sender.'),
  ...settingsOf('invoice.', ownFields, (what) => `invoices: ${what}`, ''),
  ...Object.entries(clientFields).map(([key, field]): Setting => {
    const { type, example, description } = field
    return {
      ...{ name: `client.NAME.${key}`, type, default: null, example },
      description: `invoices for a client: ${description}`,
      read(typed, draft, name) {
        const known = draft.clients[name]
        draft.clients = { ...draft.clients, [name]: { ...known, [key]: field.read(typed) } }
      },
    }
  }),
]

function settingsOf(
  prefix: string,
  fields: Readonly<Record<string, Field>>,
  describe: (what: string) => string,
  keyPrefix: string,
): Setting[] {
  return Object.entries(fields).map(([key, field]): Setting => {
    const { type, example, description, default: fallback = null } = field
    return {
      ...{ name: `${prefix}${key}`, type, default: fallback, description: describe(description), example },
      read(typed, draft) {
        draft.invoice = { ...draft.invoice, [`${keyPrefix}${key}`]: field.read(typed) }
      },
    }
  })
}
