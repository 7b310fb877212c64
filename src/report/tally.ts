import type { Day, Weekday } from '../lib/calendar/day.js'
import { type Rounding, roundSeconds } from '../lib/calendar/rounding.js'
import type { Dimension } from '../records/report-names.js'
import type { Entry } from '../tracking/entries/entry.js'
import { type BillingTerms, type EntryPart, EntrySplitter, type SplitOptions } from './entry-parts.js'
import { calendarKey, entryKey, isOfCalendar, type Key, tagKeys } from './keys.js'
import { amountsOfRoundedGroup, isSameRate, type Rate, toMoney } from './rates.js'
import type { Group, RatedTotals } from './report-model.js'

export interface TallyOptions extends SplitOptions {
  by: readonly Dimension[]
  weekStart: Weekday
  /** Round the sums of the innermost groups instead of each entry. */
  roundsTotals?: boolean | undefined
  /** Returns the terms of an entry; the same object for the same rate. */
  termsOf(entry: Entry): BillingTerms
}

interface CountedPart {
  entry: Entry
  part: EntryPart
  terms: BillingTerms
}

interface Node {
  key: Key
  seconds: number
  roundedSeconds: number
  billableSeconds: number
  billableRoundedSeconds: number
  count: number
  running: boolean
  /** The rate of all time; null for different rates and for time without one, undefined without time. */
  rate: Rate | null | undefined
  /** The number of the entry that was counted last. */
  lastEntry: number
  /** Of a billed group, see `#bill`: the amounts of its entries. */
  amounts: Map<string, bigint> | undefined
  /** Of a billed group that is rounded as a whole: the exact seconds of each rate. */
  secondsByRate: Map<Rate, number> | undefined
  children: Map<string, Node> | undefined
}

/**
 * Sums up entries by one dimension within another. Entries come in any order and are not stored: the memory grows with
 * the number of groups.
 *
 * An entry counts with its parts (see `EntrySplitter`). Amounts are sums of the amounts of entries, so that every
 * grouping has the same total. Groups of tags overlap, so that the sums of the group above are its own. If the innermost groups are rounded instead, amounts are those of the rounded groups, and
 * the total depends on the grouping.
 */
export class Tally {
  readonly #options: TallyOptions
  readonly #splitter: EntrySplitter
  readonly #root = newNode({ identity: '', key: null, id: null, label: '' })
  readonly #isByDay: boolean
  readonly #calendarKeys = new Map<Day, (Key | undefined)[]>()
  readonly #recordKeys = new WeakMap<object, (Key | undefined)[]>()
  #entries = 0
  readonly #roundings = new Set<Rounding | undefined>()
  #unratedSeconds = 0

  constructor(options: TallyOptions) {
    this.#options = options
    const { rounding, roundsTotals } = options
    this.#splitter = new EntrySplitter({ ...options, rounding: roundsTotals ? undefined : rounding })
    this.#isByDay = options.by.some(isOfCalendar)
  }

  get by(): readonly Dimension[] {
    return this.#options.by
  }

  /** The roundings that entries have of their own; undefined among them for entries without one. */
  get roundings(): ReadonlySet<Rounding | undefined> {
    return this.#roundings
  }

  /** The billable seconds of entries without a rate. */
  get unratedSeconds(): number {
    return this.#unratedSeconds
  }

  add(entry: Entry) {
    const terms = this.#options.termsOf(entry)
    const parts = this.#splitter.partsOf(entry, terms, this.#isByDay)
    if (parts.length === 0) return
    this.#entries++
    this.#roundings.add(terms.rounding)
    for (const part of parts) {
      if (terms.isBillable && !terms.rate) this.#unratedSeconds += part.seconds
      this.#count(this.#root, 0, { entry, part, terms })
    }
  }

  /** Returns the sums of all entries added so far. */
  sums(): { totals: RatedTotals; groups: Group[] } {
    const { sums, groups } = this.#sum(this.#root, 0)
    return { totals: totalsOf(sums), groups }
  }

  /** Counts a part of an entry in a node and in its groups, which are those of the dimension at `level`. */
  #count(node: Node, level: number, counted: CountedPart) {
    const { entry, part } = counted
    this.#addTo(node, counted)
    const dimension = this.#options.by[level]
    if (dimension === undefined || dimension === 'tag') this.#bill(node, counted)
    if (dimension === undefined) return
    if (dimension !== 'tag') {
      const key = this.#keyOf(level, dimension, entry, part.day)
      this.#count(childOf(node, key), level + 1, counted)
    } else {
      for (const key of tagKeys(entry)) this.#count(childOf(node, key), level + 1, counted)
    }
  }

  /** Adds the amount to a group whose sums are not those of the groups in it: an innermost one, or one above tags. */
  #bill(node: Node, { part, terms: { rate } }: CountedPart) {
    if (!rate) return
    if (this.#options.roundsTotals) {
      node.secondsByRate ??= new Map()
      node.secondsByRate.set(rate, (node.secondsByRate.get(rate) ?? 0) + part.seconds)
    } else {
      node.amounts ??= new Map()
      addAmount(node.amounts, rate.currency, part.amount)
    }
  }

  #addTo(node: Node, { entry, part, terms: { isBillable, rate } }: CountedPart) {
    const { seconds, roundedSeconds } = part
    node.seconds += seconds
    node.roundedSeconds += roundedSeconds
    if (isBillable) {
      node.billableSeconds += seconds
      node.billableRoundedSeconds += roundedSeconds
    }
    if (!rate) {
      if (seconds > 0) node.rate = null
    } else if (node.rate !== rate && node.rate !== null) {
      node.rate = node.rate === undefined || isSameRate(node.rate, rate) ? rate : null
    }
    if (entry.end === null) node.running = true
    if (node.lastEntry === this.#entries) return
    node.lastEntry = this.#entries
    node.count++
  }

  #keyOf(level: number, dimension: Exclude<Dimension, 'tag'>, entry: Entry, day: Day): Key {
    if (isOfCalendar(dimension)) {
      const keys = listFor(this.#calendarKeys, day)
      keys[level] ??= calendarKey(dimension, day, this.#options.weekStart)
      return keys[level]
    }
    const owner = dimension === 'user' ? entry.user : entry.link
    if (dimension === 'notes' || !owner) return entryKey(dimension, entry)
    const keys = listFor(this.#recordKeys, owner)
    keys[level] ??= entryKey(dimension, entry)
    return keys[level]
  }

  #sum(node: Node, level: number): { sums: Sums; groups: Group[] } {
    const dimension = this.#options.by[level]
    if (!dimension) return { sums: this.#leafSums(node), groups: [] }
    const children = this.#sort([...(node.children?.values() ?? [])], dimension)
    const labels = labelsOf(children.map(({ key }) => key))
    const sums: Sums = { ...sumsOf(node), roundedSeconds: 0, billableRoundedSeconds: 0, amounts: new Map() }
    const groups = children.map((child, index): Group => {
      const { sums: part, groups } = this.#sum(child, level + 1)
      addSums(sums, part)
      const { key, id } = child.key
      const share = this.#root.seconds === 0 ? 0 : child.seconds / this.#root.seconds
      return { by: dimension, key, id, label: labels[index] ?? '', share, ...totalsOf(part), groups }
    })
    return { sums: dimension === 'tag' ? this.#leafSums(node) : sums, groups }
  }

  #leafSums(node: Node): Sums {
    const { rounding, roundsTotals } = this.#options
    if (!rounding || !roundsTotals) return sumsOf(node)
    const { seconds, billableSeconds, secondsByRate } = node
    const rounded = roundSeconds(seconds, rounding)
    return {
      ...sumsOf(node),
      roundedSeconds: rounded,
      // The rest of the rounded group is not billable.
      billableRoundedSeconds: seconds === 0 ? 0 : Math.round((rounded * billableSeconds) / seconds),
      amounts: new Map(amountsOfRoundedGroup(secondsByRate ?? new Map(), { exact: seconds, rounded })),
    }
  }

  #sort(nodes: Node[], dimension: Dimension): Node[] {
    if (isOfCalendar(dimension)) return nodes.sort((a, b) => compareText(a.key.identity, b.key.identity))
    return nodes.sort((a, b) => b.seconds - a.seconds || compareText(a.key.label, b.key.label))
  }
}

function childOf(node: Node, key: Key): Node {
  node.children ??= new Map()
  let child = node.children.get(key.identity)
  if (!child) {
    child = newNode(key)
    node.children.set(key.identity, child)
  }
  return child
}

function newNode(key: Key): Node {
  return {
    key,
    seconds: 0,
    roundedSeconds: 0,
    billableSeconds: 0,
    billableRoundedSeconds: 0,
    count: 0,
    running: false,
    rate: undefined,
    lastEntry: 0,
    amounts: undefined,
    secondsByRate: undefined,
    children: undefined,
  }
}

/** Totals whose amounts are still in the smallest unit of each currency. */
type Sums = Omit<RatedTotals, 'amounts'> & { amounts: Map<string, bigint> }

function sumsOf(node: Node): Sums {
  const { seconds, roundedSeconds, billableSeconds, billableRoundedSeconds, count, running } = node
  const durations = { seconds, roundedSeconds, billableSeconds, billableRoundedSeconds }
  return { ...durations, count, running, amounts: new Map(node.amounts), rate: node.rate?.hourly ?? null }
}

function totalsOf(sums: Sums): RatedTotals {
  return { ...sums, amounts: toMoney(sums.amounts) }
}

/** Adds what rounding changes; the exact sums of a group are counted with it. */
function addSums(sums: Sums, part: Sums) {
  sums.roundedSeconds += part.roundedSeconds
  sums.billableRoundedSeconds += part.billableRoundedSeconds
  for (const [currency, amount] of part.amounts) addAmount(sums.amounts, currency, amount)
}

function addAmount(sums: Map<string, bigint>, currency: string, amount: bigint) {
  sums.set(currency, (sums.get(currency) ?? 0n) + amount)
}

function listFor<Name, Value>(
  known: { get(name: Name): Value[] | undefined; set(name: Name, values: Value[]): unknown },
  name: Name,
): Value[] {
  const values = known.get(name) ?? []
  known.set(name, values)
  return values
}

/** Returns the labels of groups; those of projects that share a name include the client, those of users the email address. */
export function labelsOf(keys: readonly Key[]): string[] {
  const times = new Map<string, number>()
  for (const { label } of keys) times.set(label, (times.get(label) ?? 0) + 1)
  return keys.map(({ label, qualifier: of }) =>
    of !== undefined && (times.get(label) ?? 0) > 1 ? `${label} (${of})` : label,
  )
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
