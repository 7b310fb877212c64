import type { Named } from '../catalog/catalog.js'
import type { Link } from '../catalog/links.js'
import { TtError } from '../lib/errors.js'
import { fold } from '../lib/text/nearest-names.js'
import { parseTag, tagsIn } from '../lib/text/tags.js'
import { type BillingSettings, billableTest } from './billable.js'
import type { Entry } from './entry.js'
import { separateExcluded } from './excluded-values.js'

/** The filters that are applied on this machine. Each list holds names, IDs or texts; `!value` excludes. */
export interface EntryFilters {
  project?: string[]
  client?: string[]
  task?: string[]
  notes?: string[]
  /** Whole tags, with or without `#`. */
  tag?: string[]
  running?: boolean
  pending?: boolean
  billable?: boolean
  notBillable?: boolean
  /** On an invoice that is not cancelled. */
  invoiced?: boolean
  uninvoiced?: boolean
}

/**
 * Returns whether an entry meets all filters. Of the values of one filter any may match, and no excluded one may.
 * Names and notes match when they contain a value, with case and accents folded; an ID matches as a whole, and that of a
 * task is the one that `tt start` takes. A tag matches as a whole, too. Notes are never matched by the service, which
 * folds other letters.
 *
 * The returned function caches its result for each task link: create one for a list, not one for each entry.
 * Throws TtError `usage` for an empty value, and for one that is also excluded.
 */
export function entryFilter(filters: EntryFilters, settings: BillingSettings): (entry: Entry) => boolean {
  const matchesLink = cachedByLink(allOf(linkTests(filters, settings)))
  const matchesNotes = allOf([...notesTests(filters.notes), ...tagTests(filters.tag)])
  const { running = false, pending = false } = filters
  const matchesInvoice = invoiceTest(filters)
  return (entry) =>
    (!running || entry.end === null) &&
    (!pending || entry.pending) &&
    matchesInvoice(entry) &&
    matchesLink(entry.link) &&
    matchesNotes(entry.notes)
}

/** Returns whether a record of a client or project, such as an expense, meets the filters by client and project. */
export function namesFilter(
  filters: Pick<EntryFilters, 'client' | 'project'>,
): (record: { client: Named | null; project: Named | null }) => boolean {
  const levels = ['project', 'client'] as const
  const tests = levels.map((level) => ({ level, values: filterValues(filters[level], level) }))
  return (record) =>
    tests.every(
      ({ level, values }) =>
        !values || matchesValues(values, (typed) => isNamed(record[level] ?? undefined, typed)),
    )
}

type LinkTest = (link: Link | undefined) => boolean

function linkTests(filters: EntryFilters, settings: BillingSettings): LinkTest[] {
  const tests: LinkTest[] = (['project', 'client', 'task'] as const).flatMap((level) => {
    const values = filterValues(filters[level], level)
    return values
      ? (link: Link | undefined) => matchesValues(values, (typed) => isNamed(namedAt(level, link), typed))
      : []
  })
  const { billable = false, notBillable = false } = filters
  if (billable || notBillable) {
    const isBillable = billableTest(settings)
    tests.push((link) => isBillable(link) === billable)
  }
  return tests
}

/** Returns whether a record meets --invoiced and --uninvoiced. */
export function invoiceTest({
  invoiced = false,
  uninvoiced = false,
}: Pick<EntryFilters, 'invoiced' | 'uninvoiced'>): (record: Pick<Entry, 'invoice'>) => boolean {
  return ({ invoice }) => (!invoiced || invoice !== null) && (!uninvoiced || invoice === null)
}

type NotesTest = (notes: string) => boolean

function notesTests(typed: readonly string[] | undefined): NotesTest[] {
  const values = filterValues(typed, 'notes')
  if (!values) return []
  const folded = { included: values.included.map(fold), excluded: values.excluded.map(fold) }
  return [
    (notes) => {
      const foldedNotes = fold(notes)
      return matchesValues(folded, (text) => foldedNotes.includes(text))
    },
  ]
}

function tagTests(typed: readonly string[] | undefined): NotesTest[] {
  const values = filterValues(typed, 'tag')
  if (!values) return []
  const folded = { included: values.included.map(foldTag), excluded: values.excluded.map(foldTag) }
  return [
    (notes) => {
      const tags = tagsIn(notes).map(fold)
      return matchesValues(folded, (tag) => tags.includes(tag))
    },
  ]
}

function foldTag(typed: string): string {
  const tag = parseTag(typed)
  if (tag !== undefined) return fold(tag)
  throw new TtError('usage', `The tag filter has "${typed}", which is not a tag.`, {
    hint: 'A tag is one word of letters, digits, _ and -, with at least one letter.',
  })
}

/** The values of a filter. One of the included ones has to match, if there are any, and no excluded one may. */
interface FilterValues {
  included: string[]
  excluded: string[]
}

function matchesValues({ included, excluded }: FilterValues, matches: (value: string) => boolean): boolean {
  return (included.length === 0 || included.some(matches)) && !excluded.some(matches)
}

/** Returns the record of a link at a level; a task has the ID of the link, which `tt start` takes. */
function namedAt(level: 'project' | 'client' | 'task', link: Link | undefined): Named | undefined {
  const named = link?.[level]
  if (!named) return undefined
  return level === 'task' ? { id: link.id, name: named.name } : named
}

function isNamed(named: Named | undefined, typed: string): boolean {
  if (!named) return false
  return String(named.id) === typed || fold(named.name).includes(fold(typed))
}

/** Returns the values of a filter. Throws TtError `usage` for an empty value, and for one that is also excluded. */
function filterValues(typed: readonly string[] | undefined, filter: string): FilterValues | undefined {
  if (typed === undefined) return undefined
  const { included, excluded } = separateExcluded(typed)
  if ([...included, ...excluded].some((value) => fold(value) === '')) {
    throw new TtError('usage', `The ${filter} filter has an empty value.`, {
      hint: 'Remove the filter to include all entries.',
    })
  }
  const foldedExcluded = new Set(excluded.map(fold))
  const contradiction = included.find((value) => foldedExcluded.has(fold(value)))
  if (contradiction === undefined) return { included, excluded }
  throw new TtError('usage', `The ${filter} filter both includes and excludes "${contradiction}".`, {
    hint: 'Remove one of the two values.',
  })
}

function allOf<Value>(tests: readonly ((value: Value) => boolean)[]): (value: Value) => boolean {
  return (value) => tests.every((test) => test(value))
}

/** Caches the results of a test, so that the names of a link are folded once for all of its entries. */
function cachedByLink(test: LinkTest): LinkTest {
  const results = new Map<Link | undefined, boolean>()
  return (link) => {
    const cached = results.get(link)
    if (cached !== undefined) return cached
    const result = test(link)
    results.set(link, result)
    return result
  }
}
