import type { Context } from '../../cli/context.js'
import type { TimeRange } from '../../lib/calendar/interval.js'
import { TtError } from '../../lib/errors.js'
import { decimalHours } from '../../report/decimal-hours.js'
import { type BillingTerms, EntrySplitter } from '../../report/entry-parts.js'
import type { Entry } from '../../tracking/entries/entry.js'
import type { EntryBilling } from '../views/logged-entry.js'
import { billingTerms } from './billing-terms.js'

/**
 * Returns a function that bills the part of an entry in the period as a report does: rounded by the settings, with its share
 * of the amount of the entry. Rates that cannot be used, such as one without a currency, cause a warning and no amounts:
 * a list of entries does not depend on them.
 */
export async function entryBilling(ctx: Context, range: TimeRange): Promise<(entry: Entry) => EntryBilling> {
  const termsOf = await billingTerms(ctx, { roundsByPattern: true }).catch((error: unknown) => {
    if (!(error instanceof TtError)) throw error
    ctx.terminal.warn(`Without rates and amounts: ${error.message}`)
    return (): BillingTerms => ({ isBillable: false, rate: undefined })
  })
  const splitter = new EntrySplitter({ ...range, now: ctx.now })
  const { toMoney } = await import('../../report/rates.js')
  return (entry) => {
    const terms = termsOf(entry)
    const { isBillable, rate } = terms
    const [part] = splitter.partsOf(entry, terms, false)
    const [money] = rate ? toMoney(new Map([[rate.currency, part?.amount ?? 0n]])) : []
    return {
      hours: decimalHours(part?.roundedSeconds ?? 0),
      rate: rate?.hourly.amount ?? null,
      amount: money?.amount ?? null,
      currency: money?.currency ?? null,
      billable: isBillable,
    }
  }
}
