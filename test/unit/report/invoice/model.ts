/**
 * An independent model of invoices: rational numbers of whole numbers, without any code of the program. Half of the last
 * place is rounded away from zero.
 */
export interface ModelEntry {
  description: string
  /** Price of an hour in hundredths. */
  rateHundredths: bigint
  seconds: number
}

export interface ModelInvoice {
  lines: { description: string; rate: string; hours: string; amount: string }[]
  net: string
  tax: string
  total: string
}

export interface ModelTerms {
  /** The decimals of the currency. */
  decimals: number
  /** The tax in thousandths of a percent. */
  taxThousandths: bigint
  /** Expenses in ten-thousandths of the currency, and whether they are taxed. */
  expenses: readonly bigint[]
  isExpenseTaxed: boolean
  /** The rounding of each entry in seconds; undefined for exact time. */
  step?: { seconds: number; direction: 'up' | 'down' | 'nearest' } | undefined
}

export function modelInvoice(entries: readonly ModelEntry[], terms: ModelTerms): ModelInvoice {
  const { decimals, taxThousandths } = terms
  const groups = new Map<string, { description: string; rate: bigint; seconds: bigint }>()
  for (const { description, rateHundredths, seconds } of entries) {
    const key = `${description}|${rateHundredths}`
    const group = groups.get(key) ?? { description, rate: rateHundredths, seconds: 0n }
    group.seconds += BigInt(billed(seconds, terms.step))
    groups.set(key, group)
  }
  const unit = 10n ** BigInt(decimals)
  const lines = [...groups.values()].map(({ description, rate, seconds }) => {
    const hundredths = roundedQuotient(seconds * 100n, 3600n)
    const units = roundedQuotient(hundredths * rate * unit, 10_000n)
    return { description, rate, hundredths, units }
  })
  const expenses = terms.expenses.map((amount) => roundedQuotient(amount * unit, 10_000n))
  const net = sum([...lines.map(({ units }) => units), ...expenses])
  const taxed = sum([...lines.map(({ units }) => units), ...(terms.isExpenseTaxed ? expenses : [])])
  const tax = roundedQuotient(taxed * taxThousandths, 100_000n)
  return {
    lines: lines.map(({ description, rate, hundredths, units }) => ({
      ...{ description, rate: decimal(rate, 2), hours: decimal(hundredths, 2) },
      amount: decimal(units, decimals),
    })),
    net: decimal(net, decimals),
    tax: decimal(tax, decimals),
    total: decimal(net + tax, decimals),
  }
}

function billed(seconds: number, step: ModelTerms['step']): number {
  if (!step) return seconds
  const rest = seconds % step.seconds
  const isUp = step.direction === 'up' ? rest > 0 : step.direction === 'nearest' && rest * 2 >= step.seconds
  return seconds - rest + (isUp ? step.seconds : 0)
}

function roundedQuotient(numerator: bigint, denominator: bigint): bigint {
  const isNegative = numerator < 0n
  const magnitude = isNegative ? -numerator : numerator
  const whole = magnitude / denominator
  const rounded = (magnitude % denominator) * 2n >= denominator ? whole + 1n : whole
  return isNegative ? -rounded : rounded
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}

export function decimal(value: bigint, places: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0')
  return places === 0 ? sign + digits : `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`
}
