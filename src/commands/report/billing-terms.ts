import type { Context } from '../../cli/context.js'
import type { Settings } from '../../config/settings/settings.js'
import type { TimeRange } from '../../lib/calendar/interval.js'
import { TtError } from '../../lib/errors.js'
import { decimalHours } from '../../report/decimal-hours.js'
import { type BillingTerms, EntrySplitter } from '../../report/entry-parts.js'
import { billableTest, rateFinder, valueFinder } from '../../tracking/entries/billable.js'
import type { Entry } from '../../tracking/entries/entry.js'
import type { EntryBilling } from '../views/logged-entry.js'
import type { ReportContext } from './report-query.js'

/**
 * Returns a function that returns the terms of an entry by the settings: whether it is billable, its rate and, with
 * `roundsByPattern`, its rounding. Throws TtError `usage` for an invalid rate or pattern.
 */
export async function billingTerms(
  ctx: Pick<ReportContext, 'config' | 'reference'>,
  { roundsByPattern }: { roundsByPattern: boolean },
): Promise<(entry: Entry) => BillingTerms> {
  const settings = await ctx.config.settings()
  const isBillable = billableTest(settings)
  const findRate = rateFinder(settings.rates)
  const findRounding = valueFinder(roundsByPattern ? settings.roundings : {})
  const rates = await parseRates(ctx, settings)
  const termsByLink = new Map<Entry['link'], BillingTerms>()
  return ({ link }) => {
    const known = termsByLink.get(link)
    if (known) return known
    const rounding = findRounding(link) ?? undefined
    const terms: BillingTerms = isBillable(link)
      ? { isBillable: true, rate: rates.get(findRate(link)?.pattern ?? ''), rounding }
      : { isBillable: false, rate: undefined, rounding }
    termsByLink.set(link, terms)
    return terms
  }
}

/** Returns the rates by pattern. Loads nothing for settings without rates. */
async function parseRates(
  ctx: Pick<ReportContext, 'reference'>,
  { rates, currency: configuredCurrency }: Settings,
) {
  const texts = Object.entries(rates).flatMap(([pattern, text]) => (text === null ? [] : [{ pattern, text }]))
  if (texts.length === 0) return new Map()
  const { parseRate } = await import('../../report/rates.js')
  const currency =
    configuredCurrency ??
    (await companyCurrency(
      ctx,
      texts.map(({ text }) => text),
    ))
  return new Map(
    texts.map(({ pattern, text }) => [pattern, parseRate(text, settingOf(pattern), currency)] as const),
  )
}

/** Returns the currency of the company; undefined without a request when every rate has its own. */
async function companyCurrency(
  ctx: Pick<ReportContext, 'reference'>,
  rates: readonly string[],
): Promise<string | undefined> {
  if (rates.every((rate) => /[A-Za-z]/.test(rate))) return undefined
  const company = await (await ctx.reference()).recent('company')
  return typeof company.currency === 'string' ? company.currency : undefined
}

function settingOf(pattern: string): string {
  return pattern === '*' ? 'rate' : `rate.${pattern}`
}

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
