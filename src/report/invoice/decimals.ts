import Big from 'big.js'
import { currencyDecimals } from '../../lib/currencies.js'

/** Exact arithmetic with decimal strings. Half of the last place is rounded away from zero. */

/** Returns the amount of hours at an hourly rate, in the digits of the currency. */
export function lineAmount(hours: string, rate: string, currency: string): string {
  return roundAmount(new Big(hours).times(rate), currency)
}

/** Returns the tax of a net amount. */
export function taxOf(net: string, percent: string, currency: string): string {
  return roundAmount(new Big(net).times(percent).times('0.01'), currency)
}

/** Returns a decimal number in the digits of the currency. */
export function roundAmount(amount: string | Big, currency: string): string {
  const places = currencyDecimals(currency)
  return new Big(amount).round(places, Big.roundHalfUp).toFixed(places)
}

/** Returns the sum of amounts in the digits of the currency. */
export function sumOf(amounts: readonly string[], currency: string): string {
  return roundAmount(
    amounts.reduce((sum, amount) => sum.plus(amount), new Big(0)),
    currency,
  )
}

/** Returns the number with the other sign and the same digits. */
export function negate(amount: string): string {
  if (/^-?0*(\.0*)?$/.test(amount)) return amount
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`
}
