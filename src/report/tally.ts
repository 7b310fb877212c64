import { type Day, dayOf, endOfDay, startOfDay, type Weekday } from '../calendar/day.js'
import { type Rounding, roundSeconds } from '../calendar/rounding.js'
import type { Entry } from '../entries/entry.js'
import type { Dimension } from './dimensions.js'
import { calendarKey, entryKey, isOfCalendar, type Key } from './keys.js'
import type { Group, Money, Totals } from './model.js'
import type { addAmounts, computeAmounts, Rate } from './money.js'

export interface TallyOptions {
  by: readonly Dimension[]
  /** The moment of the report: what runs is counted to it. */
  now: Date
  weekStart: Weekday
  /** What lies before or after is not counted. */
  from?: Date | undefined
  to?: Date | undefined
  rounding?: Rounding | undefined
  /** Round the sums of the innermost groups instead of each entry. */
  roundsTotals?: boolean | undefined
  /** What is charged; nothing is loaded for reports without money. */
  charges?: Charges | undefined
}

export interface Charges {
  /** What an hour of the entry costs; the same object for the same rate. */
  rateOf(entry: Entry): Rate | undefined
  amountsOf: typeof computeAmounts
  sumOf: typeof addAmounts
}

/** A part of an entry, within one day where the calendar counts. */
interface Piece {
  day: Day
  seconds: number
  roundedSeconds: number
}

interface Node {
  key: Key
  seconds: number
  roundedSeconds: number
  count: number
  running: boolean
  /** The number of the entry that was counted last. */
  lastEntry: number
  /** Seconds by rate, of the innermost groups. */
  secondsByRate: Map<Rate, number> | undefined
  children: Map<string, Node> | undefined
}

/**
 * Sums up entries by one dimension within another. Entries come in any order and are not kept: the memory that is needed
 * grows with the groups.
 *
 * Where a dimension is of the calendar, an entry is cut at midnight and counts on each day for its part. Rounded entries
 * keep their rounded length as a whole: each part is what the rounding has come to at its end, less what it had come to
 * at its beginning. What was cut off by the bounds of the report is not rounded with the rest.
 */
export class Tally {
  readonly #options: TallyOptions
  readonly #root = newNode({ identity: '', key: null, id: null, label: '' })
  readonly #isByDay: boolean
  readonly #calendarKeys = new Map<Day, (Key | undefined)[]>()
  readonly #linkKeys = new WeakMap<object, (Key | undefined)[]>()
  #day: { day: Day; fromMs: number; toMs: number } | undefined
  #entries = 0

  constructor(options: TallyOptions) {
    this.#options = options
    this.#isByDay = options.by.some(isOfCalendar)
  }

  get by(): readonly Dimension[] {
    return this.#options.by
  }

  add(entry: Entry) {
    const { from, to, now, charges } = this.#options
    const startMs = entry.start.getTime()
    const endMs = Math.max(startMs, (entry.end ?? now).getTime())
    const fromMs = Math.max(startMs, from?.getTime() ?? startMs)
    const toMs = Math.min(endMs, to?.getTime() ?? endMs)
    // An entry of no length counts where it lies.
    const isOutside = fromMs > toMs || (fromMs === toMs && (startMs < endMs || toMs === to?.getTime()))
    if (isOutside) return
    this.#entries++
    const rate = charges?.rateOf(entry)
    for (const piece of this.#piecesOf(fromMs, toMs)) this.#count(entry, piece, rate)
  }

  /** What has come of all that was added. */
  sums(): { totals: Totals; groups: Group[] } {
    return this.#sum(this.#root, 0)
  }

  *#piecesOf(fromMs: number, toMs: number): Generator<Piece> {
    let [doneSeconds, doneRounded] = [0, 0]
    for (let atMs = fromMs; ; ) {
      const window = this.#isByDay ? this.#dayAround(atMs) : undefined
      const nextMs = Math.min(window?.toMs ?? toMs, toMs)
      const seconds = Math.floor((nextMs - fromMs) / 1000)
      const whole = this.#roundedEntry(seconds)
      yield { day: window?.day ?? '', seconds: seconds - doneSeconds, roundedSeconds: whole - doneRounded }
      if (nextMs >= toMs) return
      atMs = nextMs
      doneSeconds = seconds
      doneRounded = whole
    }
  }

  #roundedEntry(seconds: number): number {
    const { rounding, roundsTotals } = this.#options
    return rounding && !roundsTotals ? roundSeconds(seconds, rounding) : seconds
  }

  /** Most entries lie on the same day as the one before. */
  #dayAround(ms: number): { day: Day; fromMs: number; toMs: number } {
    const known = this.#day
    if (known && known.fromMs <= ms && ms < known.toMs) return known
    const day = dayOf(new Date(ms))
    const found = { day, fromMs: startOfDay(day).getTime(), toMs: endOfDay(day).getTime() }
    this.#day = found
    return found
  }

  #count(entry: Entry, piece: Piece, rate: Rate | undefined) {
    let node = this.#root
    this.#addTo(node, entry, piece)
    for (const [level, dimension] of this.#options.by.entries()) {
      const key = this.#keyOf(level, dimension, entry, piece.day)
      node.children ??= new Map()
      let child = node.children.get(key.identity)
      if (!child) {
        child = newNode(key)
        node.children.set(key.identity, child)
      }
      this.#addTo(child, entry, piece)
      node = child
    }
    if (!rate) return
    node.secondsByRate ??= new Map()
    const seconds = this.#options.roundsTotals ? piece.seconds : piece.roundedSeconds
    node.secondsByRate.set(rate, (node.secondsByRate.get(rate) ?? 0) + seconds)
  }

  #addTo(node: Node, entry: Entry, { seconds, roundedSeconds: rounded }: Piece) {
    node.seconds += seconds
    node.roundedSeconds += rounded
    if (entry.end === null) node.running = true
    if (node.lastEntry === this.#entries) return
    node.lastEntry = this.#entries
    node.count++
  }

  #keyOf(level: number, dimension: Dimension, entry: Entry, day: Day): Key {
    if (isOfCalendar(dimension)) {
      const keys = listFor(this.#calendarKeys, day)
      keys[level] ??= calendarKey(dimension, day, this.#options.weekStart)
      return keys[level]
    }
    if (dimension === 'notes' || !entry.link) return entryKey(dimension, entry)
    const keys = listFor(this.#linkKeys, entry.link)
    keys[level] ??= entryKey(dimension, entry)
    return keys[level]
  }

  #sum(node: Node, level: number): { totals: Totals; groups: Group[] } {
    const { by, charges } = this.#options
    const dimension = by[level]
    if (!dimension) return { totals: this.#leafTotals(node), groups: [] }
    const children = this.#sort([...(node.children?.values() ?? [])], dimension)
    const labels = labelsOf(children.map(({ key }) => key))
    const groups = children.map((child, index): Group => {
      const { totals, groups } = this.#sum(child, level + 1)
      const { key, id } = child.key
      const share = this.#root.seconds === 0 ? 0 : child.seconds / this.#root.seconds
      return { by: dimension, key, id, label: labels[index] ?? '', share, ...totals, groups }
    })
    const amounts = charges
      ? groups.reduce<Money[]>((sum, group) => charges.sumOf(sum, group.amounts), [])
      : []
    const roundedSeconds = groups.reduce((sum, group) => sum + group.roundedSeconds, 0)
    return { totals: { ...countsOf(node), roundedSeconds, amounts }, groups }
  }

  #leafTotals(node: Node): Totals {
    const { rounding, roundsTotals, charges } = this.#options
    const roundedSeconds =
      rounding && roundsTotals ? roundSeconds(node.seconds, rounding) : node.roundedSeconds
    const scale = roundsTotals ? { times: roundedSeconds, by: node.seconds } : undefined
    const amounts = charges && node.secondsByRate ? charges.amountsOf(node.secondsByRate, scale) : []
    return { ...countsOf(node), roundedSeconds, amounts }
  }

  #sort(nodes: Node[], dimension: Dimension): Node[] {
    if (isOfCalendar(dimension)) return nodes.sort((a, b) => compareText(a.key.identity, b.key.identity))
    return nodes.sort((a, b) => b.seconds - a.seconds || compareText(a.key.label, b.key.label))
  }
}

function newNode(key: Key): Node {
  return {
    key,
    seconds: 0,
    roundedSeconds: 0,
    count: 0,
    running: false,
    lastEntry: 0,
    secondsByRate: undefined,
    children: undefined,
  }
}

function countsOf({ seconds, count, running }: Node): Pick<Totals, 'seconds' | 'count' | 'running'> {
  return { seconds, count, running }
}

function listFor<Name, Value>(
  known: { get(name: Name): Value[] | undefined; set(name: Name, values: Value[]): unknown },
  name: Name,
): Value[] {
  const values = known.get(name) ?? []
  known.set(name, values)
  return values
}

/** Projects of the same name have their clients beside it. */
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
