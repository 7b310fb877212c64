import Big from 'big.js'
import { TtError } from '../lib/errors.js'
import type { Money } from './model.js'

/** An hourly rate. */
export interface Rate {
  /** A decimal string, from 0 on. */
  amount: string
  /** ISO 4217. */
  currency: string
}

/**
 * Parses a rate: "95", "95.50" or "95.50 EUR"; `currency` is the default. Throws TtError `usage` for an invalid rate and
 * without a currency.
 */
export function parseRate(text: string, name: string, currency: string | undefined): Rate {
  const [, amount, code = currency] = /^\s*(\d+(?:\.\d+)?)(?:\s*([A-Za-z]{3}))?\s*$/.exec(text) ?? []
  if (amount === undefined) {
    throw new TtError('usage', `The setting ${name} is not an hourly rate: "${text}".`, {
      hint: 'Write it like 95 or "95.50 EUR".',
    })
  }
  if (code === undefined) {
    throw new TtError('usage', `The setting ${name} names no currency, and none is known.`, {
      hint: 'Add a currency to the rate, such as "95 EUR", or set one for all rates.',
      nextStep: { action: 'set', setting: 'currency', value: 'EUR' },
    })
  }
  return { amount, currency: code.toUpperCase() }
}

/**
 * Returns the amounts by currency, sorted by its code. The seconds of each rate are multiplied by `scale`, a fraction, so
 * that only the amount is rounded: to the digits of the currency, half up.
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

/** Adds amounts exactly by currency, sorted by its code. */
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

/** Adds two decimals with the larger number of digits: 1.50 and 2 are 3.50. */
function addDecimals(a: string, b: string): string {
  return new Big(a).plus(b).toFixed(Math.max(decimalsOf(a), decimalsOf(b)))
}

function decimalsOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0
}

/** Returns the quotient with that many digits, rounded half up. */
function divide(whole: Big, by: number, digits: number): Big {
  const exact = Big()
  exact.DP = digits
  exact.RM = Big.roundHalfUp
  return exact(whole).div(by)
}

const decimalsByCurrency = new Map<string, number>()

/** Returns the number of decimals of a currency (ISO 4217); 2 for an unknown code. */
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
    return 2 // Not a currency code.
  }
}
