import type { Context } from '../../cli/context.js'
import { addDays, type Day, dayOf, endOfDay, type Weekday } from '../../lib/calendar/day.js'
import type { Period } from '../../lib/calendar/period.js'
import { type Rounding, roundSeconds } from '../../lib/calendar/rounding.js'
import { toRfc3339 } from '../../lib/calendar/time.js'
import { TtError } from '../../lib/errors.js'
import type { InvoiceLocale, LineDimension } from '../../lib/invoice-words.js'
import { fold } from '../../lib/text/nearest-names.js'
import { replaceTags } from '../../lib/text/tags.js'
import type { LeftOut } from '../../records/shapes/invoices.js'
import { decimalHours } from '../../report/decimal-hours.js'
import { lineAmount, roundAmount } from '../../report/invoice/decimals.js'
import type { BilledExpense, ExpenseMode } from '../../report/invoice/document.js'
import type { BilledEntry } from '../../report/invoice/lines.js'
import { calendarKey, entryKey, isOfCalendar } from '../../report/keys.js'
import { addAmounts, type Rate } from '../../report/rates.js'
import type { Money } from '../../report/report-model.js'
import type { Named } from '../../tracking/catalog/catalog.js'
import { durationOf, type Entry } from '../../tracking/entries/entry.js'
import type { NamedExpense } from '../../tracking/entries/expenses/expense.js'
import { formatInvoiceDay } from '../../ui/page/invoice/locale.js'
import { billingTerms } from '../report/billing-terms.js'

export interface Selection {
  client: Named
  period: Partial<Period>
  /** Whether entries before the period are included, however old. */
  hasEarlier: boolean
  /** The last day of the last invoice of the client; undefined without one. */
  lastInvoiced: Day | undefined
  by: readonly LineDimension[]
  /** The rounding of each entry; null for none, undefined for that of the settings `round.PATTERN`. */
  rounding: Rounding | null | undefined
  expenses: ExpenseMode
  /** The chosen currency; undefined for that of the entries. */
  currency: string | undefined
  locale: InvoiceLocale
  weekStart: Weekday
}

/** What an invoice bills, and what it leaves out. */
export interface Collected {
  currency: string
  entries: BilledEntry[]
  expenses: BilledExpense[]
  leftOut: LeftOut[]
}

type Reason = LeftOut['reason']

interface Found {
  /** The seconds are those after rounding. */
  entries: { entry: Entry; rate: Rate; seconds: number }[]
  expenses: NamedExpense[]
}

/**
 * Returns the billable entries and the expenses of a client that start in a period and are on no invoice. An entry is billed as
 * a whole, on the day on which it starts.
 */
export async function collect(ctx: Context, selection: Selection): Promise<Collected> {
  const { period, hasEarlier, lastInvoiced } = selection
  const omitted = new LeftOutRecords()
  // Entries since the last invoice cannot be on an earlier one.
  const sinceInvoice = lastInvoiced === undefined ? undefined : addDays(lastInvoiced, 1)
  const candidates = [period.first, sinceInvoice].filter((day): day is Day => day !== undefined)
  const first = hasEarlier || period.first === undefined ? undefined : candidates.sort()[0]
  const found: Found = {
    entries: await billableEntries(ctx, selection, first, omitted),
    expenses: selection.expenses === 'none' ? [] : await clientExpenses(ctx, selection, first, omitted),
  }
  const currency = selection.currency ?? (await currencyOf(ctx, selection, found))
  const entries = found.entries.filter(({ seconds, rate }) => {
    if (rate.currency === currency) return true
    omitted.addEntry('currency', seconds, rate)
    return false
  })
  const expenses = found.expenses.filter((expense) => {
    if (expense.currency === currency) return true
    omitted.addExpense('currency', expense)
    return false
  })
  return {
    currency,
    entries: entries.map((found) => toBilledEntry(found, selection, ctx.now)),
    expenses: expenses.map(toBilledExpense),
    leftOut: omitted.list(),
  }
}

async function billableEntries(
  ctx: Context,
  { client, period, rounding }: Selection,
  first: Day | undefined,
  omitted: LeftOutRecords,
): Promise<Found['entries']> {
  const roundsByPattern = rounding === undefined
  const [tracking, termsOf] = [await ctx.entries(), await billingTerms(ctx, { roundsByPattern })]
  const end = period.last === undefined ? undefined : endOfDay(period.last)
  const found: Found['entries'] = []
  const batches = tracking.batches(end ? { end } : {}, {}, { isUnlimited: true })
  for await (const batch of ctx.terminal.countItems(batches, (count) => `Read ${count} entries …`)) {
    for (const entry of batch) {
      if (String(entry.link?.client?.id) !== String(client.id) || entry.invoice !== null) continue
      const { isBillable, rate, rounding: ownRounding } = termsOf(entry)
      const exactSeconds = durationOf(entry, ctx.now)
      const usedRounding = rounding ?? ownRounding
      const seconds = usedRounding ? roundSeconds(exactSeconds, usedRounding) : exactSeconds
      const isEarlier = first !== undefined && dayOf(entry.start) < first
      if (isEarlier && !isBillable) continue
      if (isEarlier && rate) omitted.addEntry('earlier', seconds, rate)
      else if (!isBillable) omitted.addEntry('not_billable', seconds)
      else if (entry.end === null) omitted.addEntry('running', seconds, rate)
      else if (entry.pending) omitted.addEntry('pending', seconds, rate)
      else if (!rate) omitted.addEntry('no_rate', seconds)
      else found.push({ entry, rate, seconds })
    }
  }
  return found.sort((a, b) => a.entry.start.getTime() - b.entry.start.getTime())
}

async function clientExpenses(
  ctx: Context,
  { client, period: { last } }: Selection,
  first: Day | undefined,
  omitted: LeftOutRecords,
): Promise<NamedExpense[]> {
  const all = await (await ctx.expenses()).list(last === undefined ? {} : { last }, {})
  return all.filter((expense) => {
    const { client: owner, invoice, wire, pending } = expense
    if (String(owner?.id) !== String(client.id) || invoice !== null) return false
    const reason = reasonFor(expense)
    if (first !== undefined && (wire.spent_on ?? '') < first) omitted.addExpense('earlier', expense)
    else if (pending) omitted.addExpense('pending', expense)
    else if (reason) omitted.addExpense(reason, expense)
    else return true
    return false
  })
}

function reasonFor({ wire }: NamedExpense): Reason | undefined {
  return isAmount(wire.amount) ? undefined : 'no_amount'
}

function isAmount(amount: string | null | undefined): amount is string {
  return /^-?\d+(\.\d+)?$/.test(amount?.trim() ?? '')
}

/** Returns the currency of the client, or the only one of what is billed. Throws TtError `usage` for several. */
async function currencyOf(
  ctx: Context,
  { client }: Selection,
  { entries, expenses }: Found,
): Promise<string> {
  const settings = await ctx.config.settings()
  const { settingsOfClient } = await import('./terms.js')
  const own = settingsOfClient(settings, client.name).currency
  if (own !== undefined) return own
  const used = new Set([
    ...entries.map(({ rate }) => rate.currency),
    ...expenses.flatMap(({ currency }) => currency ?? []),
  ])
  const [only] = used
  if (only !== undefined && used.size === 1) return only
  const usual = settings.currency ?? (await (await ctx.expenses()).names.currency()) ?? 'EUR'
  if (used.size === 0) return usual
  throw new TtError('usage', `${client.name} has entries or expenses in ${[...used].sort().join(', ')}.`, {
    hint: `An invoice has one currency. Add --currency ${used.has(usual) ? usual : only}.`,
    candidates: [...used],
  })
}

function toBilledEntry(
  { entry, rate, seconds: billedSeconds }: Found['entries'][number],
  { by, locale, weekStart, client }: Selection,
  now: Date,
): BilledEntry {
  const day = dayOf(entry.start)
  const seconds = durationOf(entry, now)
  const parts = by.flatMap((dimension) => {
    if (dimension === 'day') return [{ text: formatInvoiceDay(day, locale), order: day }]
    const key = isOfCalendar(dimension) ? calendarKey(dimension, day, weekStart) : entryKey(dimension, entry)
    const text = dimension === 'week' && key.key ? formatInvoiceDay(key.key, locale) : key.key
    const order = isOfCalendar(dimension) ? key.identity : fold(key.key ?? '')
    return text === null ? [] : [{ text: plainText(text), order }]
  })
  return {
    ...{ id: entry.id, time_start: toRfc3339(entry.start), time_end: toRfc3339(entry.end ?? now) },
    ...{ task_link_id: entry.wire.task_link_id, external_id: entry.wire.external_id ?? null },
    seconds,
    billed_seconds: billedSeconds,
    description: parts.map(({ text }) => text).join(' / ') || client.name,
    order: parts.map(({ order }) => order).join('\u0000'),
    rate: rate.hourly.amount,
    ...{ day, notes: plainText(entry.notes) },
  }
}

function toBilledExpense({ id, type, wire }: NamedExpense): BilledExpense {
  const description = [type?.name, plainText(wire.notes ?? '')].filter(Boolean).join(': ')
  return { id, date: wire.spent_on ?? null, description, amount: (wire.amount ?? '0').trim() }
}

/** Returns a text for a client: words instead of tags. */
function plainText(text: string): string {
  return replaceTags(text.trim(), (tag) => tag.slice(1))
}

/** The entries and expenses that are left out, by the reason. */
class LeftOutRecords {
  readonly #groups = new Map<string, LeftOutGroup>()

  addEntry(reason: Reason, seconds: number, rate?: Rate) {
    const group = this.#group(reason, 'entry')
    group.count++
    group.seconds = (group.seconds ?? 0) + seconds
    if (!rate) return
    const { amount, currency } = rate.hourly
    const known = group.billed.get(`${amount} ${currency}`)
    group.billed.set(`${amount} ${currency}`, {
      rate: amount,
      currency,
      seconds: (known?.seconds ?? 0) + seconds,
    })
  }

  addExpense(reason: Reason, { currency, wire }: NamedExpense) {
    const group = this.#group(reason, 'expense')
    group.count++
    if (currency === null || !isAmount(wire.amount)) return
    group.spent.push({ currency, amount: roundAmount(wire.amount.trim(), currency) })
  }

  list(): LeftOut[] {
    return [...this.#groups.values()].map(({ billed, spent, ...group }) => {
      const amounts = [...spent]
      for (const { rate, currency, seconds } of billed.values())
        amounts.push({ currency, amount: lineAmount(decimalHours(seconds), rate, currency) })
      return { ...group, amounts: addAmounts([], amounts) }
    })
  }

  #group(reason: Reason, kind: LeftOut['kind']): LeftOutGroup {
    const key = `${reason} ${kind}`
    const known = this.#groups.get(key)
    if (known) return known
    const seconds = kind === 'entry' ? 0 : null
    const group = { reason, kind, count: 0, seconds, billed: new Map(), spent: [] }
    this.#groups.set(key, group)
    return group
  }
}

interface LeftOutGroup extends Omit<LeftOut, 'amounts'> {
  /** The seconds of each rate, which are one line of an invoice. */
  billed: Map<string, { rate: string; currency: string; seconds: number }>
  spent: Money[]
}
