/** The categories of tax, as an electronic invoice names them (EN 16931, BT-151). */
export const taxCategories = ['standard', 'zero', 'exempt', 'reverse_charge', 'outside'] as const
export type TaxCategory = (typeof taxCategories)[number]

/** The languages of invoices. */
export const invoiceLocales = ['en', 'de', 'fr', 'es', 'nl'] as const
export type InvoiceLocale = (typeof invoiceLocales)[number]

/** What the annex of an invoice lists. */
export const annexes = ['none', 'days', 'entries'] as const
export type Annex = (typeof annexes)[number]
/** The groupings of the lines of an invoice: an entry is in one group of each. */
export const lineDimensions = ['project', 'task', 'notes', 'day', 'week', 'month'] as const
export type LineDimension = (typeof lineDimensions)[number]
