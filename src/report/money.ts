import Big from 'big.js'
import { TtError } from '../lib/errors.js'
import type { Money } from './model.js'

/** What an hour costs. */
export interface Rate {
  /** A decimal string, from 0 on. */
  amount: string
  /** ISO 4217. */
  currency: string
}

/**
 * Reads a rate of the settings: "95", "95.50" or "95.50 EUR"; `currency` is that of a rate that names none. Throws TtError
 * `usage` where it cannot be read, or where no currency is known.
 */
export function parseRate(text: string, name: string, currency: string | undefined): Rate {
  const [, amount, code = currency] = /^\s*(\d+(?:\.\d+)?)(?:\s*([A-Za-z]{3}))?\s*$/.exec(text) ?? []
  if (amount === undefined) {
    throw new TtError('usage', `The setting ${name} is no hourly rate: "${text}".`, {
      hint: 'Write it like 95 or "95.50 EUR".',
    })
  }
  if (code === undefined) {
    throw new TtError('usage', `The setting ${name} names no currency, and none is known.`, {
      hint: 'Set one for all with `tt config set currency EUR`, or name it there: "95 EUR".',
    })
  }
  return { amount, currency: code.toUpperCase() }
}

/**
 * What time costs, by currency in the order of its code. `billed` tells by rate how many seconds count; each may be
 * `scale` times as long, a fraction of whole numbers, so that nothing is rounded before the amount is: to the digits of
 * the currency, halves up.
 */
export function computeAmounts(
  secondsByRate: ReadonlyMap<Rate, number>,
  scale: { times: number; by: number } = { times: 1, by: 1 },
): Money[] {
  return [...secondsByRate].reduce<Money[]>((sum, [{ amount, currency }, seconds]) => {
    const product = new Big(amount).times(seconds).times(scale.times)
    const rounded = scale.by === 0 ? new Big(0) : divide(product, 3600 * scale.by, currencyDecimals(currency))
    return addAmounts(sum, [{ currency, amount: rounded.toFixed(currencyDecimals(currency)) }])
  }, [])
}

/** The sums by currency, in the order of its code, exactly. */
export function addAmounts(some: readonly Money[], others: readonly Money[]): Money[] {
  const sums = new Map(some.map(({ currency, amount }) => [currency, amount]))
  for (const { currency, amount } of others) {
    const before = sums.get(currency)
    sums.set(currency, before === undefined ? amount : addDecimals(before, amount))
  }
  return [...sums]
    .map(([currency, amount]) => ({ currency, amount }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
}

/** As many digits as the longer of the two has: 1.50 and 2 are 3.50. */
function addDecimals(a: string, b: string): string {
  return new Big(a).plus(b).toFixed(Math.max(decimalsOf(a), decimalsOf(b)))
}

function decimalsOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0
}

/** The quotient with that many digits, halves up. */
function divide(whole: Big, by: number, digits: number): Big {
  const exact = Big()
  exact.DP = digits
  exact.RM = Big.roundHalfUp
  return exact(whole).div(by)
}

const decimalsByCurrency = new Map<string, number>()

/** How many digits behind the point amounts of a currency have (ISO 4217); 2 for what is no currency. */
export function currencyDecimals(currency: string): number {
  const digits = decimalsByCurrency.get(currency) ?? lookUpDecimals(currency)
  decimalsByCurrency.set(currency, digits)
  return digits
}

function lookUpDecimals(currency: string): number {
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency })
    return format.resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return 2 // Not three letters: whoever keeps accounts in it knows better.
  }
}
