import { currencyDecimals } from '../lib/currencies.js'
import { addDecimals } from '../lib/decimals.js'
import { TtError } from '../lib/errors.js'
import type { Money } from './report-model.js'

/** An hourly rate. */
export interface Rate {
  /** ISO 4217. */
  currency: string
  /** Price of an hour, with at least as many decimals as amounts in the currency have. */
  hourly: Money
  /** The price of a second in the smallest unit of the currency, as an exact fraction. */
  numerator: bigint
  denominator: bigint
}

/** Amounts by currency, in the smallest unit of each: 1250 for 12.50 EUR. */
export type Amounts = ReadonlyMap<string, bigint>

/**
 * Parses a rate: "95", "95.50" or "95.50 EUR". A rate without a currency is in `currency`. Throws TtError `usage` for an
 * invalid rate, and for one without a currency when `currency` is undefined.
 */
export function parseRate(text: string, name: string, currency: string | undefined): Rate {
  const [, whole, fraction = '', code = currency] =
    /^\s*(\d+)(?:\.(\d+))?(?:\s*([A-Za-z]{3}))?\s*$/.exec(text) ?? []
  if (whole === undefined) {
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
  const upperCode = code.toUpperCase()
  const digits = fraction.padEnd(currencyDecimals(upperCode), '0')
  return {
    currency: upperCode,
    hourly: { currency: upperCode, amount: digits === '' ? whole : `${whole}.${digits}` },
    numerator: BigInt(whole + fraction) * tenTo(currencyDecimals(upperCode)),
    denominator: 3600n * tenTo(fraction.length),
  }
}

/** Whether two rates are the same price in the same currency. */
export function isSameRate({ hourly: one }: Rate, { hourly: other }: Rate): boolean {
  return one.amount === other.amount && one.currency === other.currency
}

/** Returns the amount for whole seconds in the smallest unit of the currency, rounded half up. */
export function amountOf({ numerator, denominator }: Rate, seconds: number): bigint {
  return divideHalfUp(numerator * BigInt(seconds), denominator)
}

/**
 * Returns the amounts of a group whose seconds were rounded as a whole: the exact sum for the seconds of each rate, times
 * `rounded / exact`, rounded half up once for each currency.
 */
export function amountsOfRoundedGroup(
  secondsByRate: ReadonlyMap<Rate, number>,
  { exact, rounded }: { exact: number; rounded: number },
): Amounts {
  const sums = new Map<string, { numerator: bigint; denominator: bigint }>()
  for (const [rate, seconds] of secondsByRate) {
    const sum = sums.get(rate.currency) ?? { numerator: 0n, denominator: 1n }
    const product = rate.numerator * BigInt(seconds)
    sums.set(rate.currency, {
      numerator: sum.numerator * rate.denominator + product * sum.denominator,
      denominator: sum.denominator * rate.denominator,
    })
  }
  const amounts = new Map<string, bigint>()
  for (const [currency, { numerator, denominator }] of sums) {
    const isEmpty = exact === 0
    amounts.set(
      currency,
      isEmpty ? 0n : divideHalfUp(numerator * BigInt(rounded), denominator * BigInt(exact)),
    )
  }
  return amounts
}

/** Returns amounts as decimals with the digits of their currencies, sorted by code. */
export function toMoney(amounts: Amounts): Money[] {
  return [...amounts]
    .map(([currency, units]) => ({ currency, amount: decimalOf(units, currencyDecimals(currency)) }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
}

function decimalOf(units: bigint, digits: number): string {
  const text = String(units).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator)
}

function tenTo(digits: number): bigint {
  return 10n ** BigInt(digits)
}

/** Adds amounts exactly by currency, sorted by its code. The sum has the larger number of digits: 1.50 and 2 are 3.50. */
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
