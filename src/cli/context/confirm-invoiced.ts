import { quoteInvoiceNumber } from '../../lib/text/shell-quoting.js'
import { capitalize } from '../../lib/text/words.js'
import type { InvoicedRecord } from '../../outbox/invoiced-records.js'
import type { Terminal } from './terminal.js'

/** Upper bound for the records that a prompt names. */
const maxNamed = 8

/** Prompts before a change of the time or task of invoiced entries, or of the amount of invoiced expenses. */
export async function confirmInvoiced(
  terminal: Pick<Terminal, 'confirm'>,
  records: readonly InvoicedRecord[],
): Promise<boolean> {
  const named = records.slice(0, maxNamed).map(({ kind, record }) => `${kind} ${record}`)
  const more = records.length > maxNamed ? ` and ${records.length - maxNamed} more` : ''
  const numbers = [...new Set(records.map(({ number }) => number))]
  const [first = ''] = numbers
  const [verb, object] = records.length === 1 ? ['is', 'it'] : ['are', 'them']
  const facts =
    `${named.join(', ')}${more} ${verb} on invoice ${numbers.join(', ')}, which does not change with ${object}. ` +
    `To bill ${object} again, void the invoice first: tt invoice void ${quoteInvoiceNumber(first)}.`
  return terminal.confirm(`Change ${object} anyway?`, capitalize(facts), {
    subject: { invoiced: records },
  })
}
