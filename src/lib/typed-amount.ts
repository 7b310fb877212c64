import { isCurrency } from './currencies.js'
import { TtError } from './errors.js'

/** An amount as users write it. */
export interface TypedAmount {
  /** A decimal number, such as "-12.50". */
  amount: string
  /** ISO 4217; undefined if the text names none. */
  currency: string | undefined
}

/** The currencies that each symbol stands for. */
const currenciesBySymbol: Readonly<Record<string, readonly string[]>> = {
  '€': ['EUR'],
  '£': ['GBP'],
  $: ['USD', 'CAD', 'AUD'],
  '¥': ['JPY', 'CNY'],
}

/**
 * Parses an amount with an optional currency: `12.50`, `12,50`, `€12.50`, `95EUR`, `CHF 95`; undefined for other text.
 *
 * @param currency the currency that another option names, which decides what a symbol such as `$` means
 *
 * Throws TtError `usage` for text with two meanings, such as `1,234` or `$5`, which the message shows.
 */
export function readTypedAmount(
  text: string,
  maxDecimals: number,
  currency?: string,
): TypedAmount | undefined {
  const match = /^(-?)([€£$¥]|[a-z]{3})? *(\d{1,12})(?:([.,])(\d+))? *([€£$¥]|[a-z]{3})?$/i.exec(text.trim())
  if (!match) return undefined
  const [, sign, before, whole, point, decimals = '', after] = match
  if (decimals.length > maxDecimals || (before && after)) return undefined
  const amount = `${sign}${whole}${decimals && `.${decimals}`}`
  if (point === ',' && decimals.length === 3)
    throw ambiguityError(text, [amount, `${sign}${whole}${decimals}`])
  const unit = before || after
  if (unit === undefined) return { amount, currency: undefined }
  const known = currenciesOf(unit)
  const named = known.find((code) => code === currency)
  if (named === undefined && known.length > 1)
    throw ambiguityError(
      text,
      known.map((code) => `${amount}${code}`),
    )
  return { amount, currency: named ?? known[0] }
}

/**
 * Parses an amount of at most four decimals in the currency that the option `currencyName` names, if any. Throws TtError
 * `usage`, also for two different currencies.
 */
export function parseAmount(text: string, currency: string | undefined, currencyName: string): TypedAmount {
  const typed = readTypedAmount(text, 4, currency)
  if (!typed) {
    throw new TtError('usage', `"${text}" is not an amount.`, {
      hint: 'Write the amount as a decimal number, with or without its currency, such as 12.50 or 12.50EUR.',
    })
  }
  if (currency === undefined || typed.currency === undefined || currency === typed.currency)
    return { amount: typed.amount, currency: currency ?? typed.currency }
  throw new TtError('usage', `"${text}" is in ${typed.currency}, and ${currencyName} is ${currency}.`, {
    hint: 'Name the currency only once.',
  })
}

/** Parses the code or symbol of a currency. Throws TtError `usage`. */
export function parseCurrency(text: string): string {
  const [first = '', ...others] = currenciesOf(text)
  if (others.length > 0) throw ambiguityError(text, [first, ...others])
  return first
}

/** Returns the currencies that a code or symbol stands for. Throws TtError `usage` if there are none. */
function currenciesOf(unit: string): readonly string[] {
  const known = currenciesBySymbol[unit] ?? [unit.toUpperCase()].filter(isCurrency)
  if (known.length > 0) return known
  throw new TtError('usage', `${JSON.stringify(unit)} is not a currency code (ISO 4217).`)
}

function ambiguityError(text: string, readings: readonly string[]): TtError {
  return new TtError('usage', `${JSON.stringify(text)} can be ${readings.join(' or ')}.`, {
    hint: 'Write the one that you mean.',
    candidates: readings,
  })
}
