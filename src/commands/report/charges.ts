import { parsePattern } from '../../catalog/name-pattern.js'
import type { Context } from '../../cli/context.js'
import type { Entry } from '../../entries/entry.js'
import { addAmounts, computeAmounts, parseRate, type Rate } from '../../report/money.js'
import type { Charges } from '../../report/tally.js'

/** Returns the functions that compute amounts from the configured rates. Throws TtError `usage` for an invalid rate. */
export async function chargesOf(ctx: Context): Promise<Charges> {
  const { rates, currency: configuredCurrency } = await ctx.settings()
  const currency = configuredCurrency ?? (await companyCurrency(ctx, Object.values(rates)))
  const known = new Map<string, Rate>()
  const parsedRates = Object.entries(rates).map(([pattern, text]) => {
    const rate = parseRate(text, settingOf(pattern), currency)
    // Patterns with the same rate share one object, so that their time is added before it is rounded.
    const name = `${rate.amount} ${rate.currency}`
    const same = known.get(name) ?? rate
    known.set(name, same)
    return { pattern: parsePattern(pattern), rate: same }
  })
  parsedRates.sort((a, b) => b.pattern.specificity - a.pattern.specificity)
  const rateByLink = new WeakMap<object, Rate | undefined>()
  const unlinked = {}
  const rateOf = ({ link }: Entry) => {
    const name = link ?? unlinked
    if (!rateByLink.has(name))
      rateByLink.set(name, parsedRates.find(({ pattern }) => pattern.matches(link))?.rate)
    return rateByLink.get(name)
  }
  return { rateOf, amountsOf: computeAmounts, sumOf: addAmounts }
}

/** Returns the currency of the company; undefined without a request when every rate has its own. */
async function companyCurrency(ctx: Context, rates: readonly string[]): Promise<string | undefined> {
  if (rates.every((rate) => /[A-Za-z]/.test(rate))) return undefined
  const company = await (await ctx.reference()).recent('company')
  return typeof company.currency === 'string' ? company.currency : undefined
}

function settingOf(pattern: string): string {
  return pattern === '*' ? 'rate' : `rate.${pattern}`
}
