import type { OptionDetails } from '../../cli/declaration.js'
import type { OptionValues } from '../../cli/input.js'
import { keyOf, longName } from '../../cli/read-input.js'
import { TtError } from '../../lib/errors.js'
import { fold } from '../../lib/text/nearest-names.js'
import { parseTag, tagsIn } from '../../lib/text/tags.js'
import type { Named } from '../../tracking/catalog/catalog.js'
import type { Link } from '../../tracking/catalog/links.js'
import { type BillingSettings, billableTest } from '../../tracking/entries/billable.js'
import type { Entry } from '../../tracking/entries/entry.js'
import { separateExcluded } from '../../tracking/entries/excluded-values.js'
import { nameFilter, whereOption } from './shared-options.js'

/**
 * A filter of entries: its option, the entries that it selects, and its words in the header of a report. Conditions of
 * `--where` are applied by the service, and by the cache to cached entries; all others on this machine.
 */
interface EntryFilter<Value> extends OptionDetails {
  /** Returns the test of a task link. Its results are cached for all entries of the link. */
  linkTest?(value: Value, settings: BillingSettings): (link: Link | undefined) => boolean
  /** Returns the test of an entry. */
  test?(value: Value): (entry: Entry) => boolean
  /** Returns the words; `entries` are those that the report shows. For a client, they have no raw syntax. */
  words(value: Value, header: Header): string[]
}

interface Header {
  entries: readonly Entry[]
  isForClient: boolean
}

type Level = 'project' | 'client' | 'task'

const declare = <const Filter extends EntryFilter<never>>(filter: Filter) => filter

/** The filters of entries, in the order of the help. */
export const entryFilters = {
  '--project <project>': levelFilter('project'),
  '--client <client>': levelFilter('client'),
  '--task <task>': levelFilter('task'),
  '--notes <text>': declare({
    ...nameFilter('filter by text in the notes'),
    // Notes are never matched by the service, which folds other letters.
    test(typed: string[]) {
      const matches = valuesTest(typed, 'notes', fold)
      return ({ notes }) => {
        const folded = fold(notes)
        return matches((text) => folded.includes(text))
      }
    },
    words(typed: string[]) {
      const { included, excluded } = separateExcluded(typed)
      return [
        ...(included.length > 0 ? [`notes with ${included.map(quote).join(' or ')}`] : []),
        ...excluded.map((value) => `notes without ${quote(value)}`),
      ]
    },
  }),
  '--tag <tag>': declare({
    ...nameFilter('filter by #tag in the notes'),
    test(typed: string[]) {
      const matches = valuesTest(typed, 'tag', foldTag)
      return ({ notes }) => {
        const tags = tagsIn(notes).map(fold)
        return matches((tag) => tags.includes(tag))
      }
    },
    words(typed: string[], { isForClient }: Header) {
      const { included, excluded } = separateExcluded(typed)
      const tagText = (value: string) => `${isForClient ? '' : '#'}${value.replace(/^#/, '')}`
      return [
        ...(included.length > 0 ? [included.map(tagText).join(' or ')] : []),
        ...excluded.map((value) => `without ${tagText(value)}`),
      ]
    },
  }),
  '--running': declare({
    description: 'only running entries',
    test:
      () =>
      ({ end }) =>
        end === null,
    words: () => ['running'],
  }),
  '--pending': declare({
    description: 'only entries not yet synced',
    test:
      () =>
      ({ pending }) =>
        pending,
    words: (_: boolean, { isForClient }: Header) => (isForClient ? [] : ['not yet synced']),
  }),
  '--billable': declare({
    description: 'only billable entries',
    linkTest: (_: boolean, settings: BillingSettings) => billableTest(settings),
    words: () => ['billable'],
  }),
  '--not-billable': declare({
    description: 'only non-billable entries',
    conflicts: ['--billable'],
    linkTest(_: boolean, settings: BillingSettings) {
      const isBillable = billableTest(settings)
      return (link) => !isBillable(link)
    },
    words: () => ['non-billable'],
  }),
  // On an invoice that is not cancelled.
  '--invoiced': declare({
    description: 'only entries on an invoice',
    test:
      () =>
      ({ invoice }) =>
        invoice !== null,
    words: () => ['invoiced'],
  }),
  '--uninvoiced': declare({
    description: 'only entries on no invoice',
    conflicts: ['--invoiced'],
    test:
      () =>
      ({ invoice }) =>
        invoice === null,
    words: () => ['not invoiced'],
  }),
  '--where <condition>': declare({
    ...whereOption['--where <condition>'],
    words: (conditions: object, { isForClient }: Header) =>
      isForClient ? [] : Object.entries(conditions).map(([key, value]) => `${key}=${value}`),
  }),
} as const

export type EntryFilterOptions = OptionValues<typeof entryFilters>

const filters = Object.entries(entryFilters as Record<string, EntryFilter<never>>).map(([flags, filter]) => ({
  flag: longName(flags),
  key: keyOf(flags) as keyof EntryFilterOptions,
  filter,
}))

/** The options of the filters, such as `--project`. */
export const entryFilterFlags: readonly string[] = filters.map(({ flag }) => flag)

/** Returns the filters that were typed. */
export function chosenFilters(options: EntryFilterOptions) {
  return filters.filter(({ key }) => options[key] !== undefined)
}

/**
 * Returns whether an entry meets all filters except conditions, which the service applies. Of the values of one filter any
 * may match, and no excluded one may. Names and notes match when they contain a value, with case and accents folded; an ID
 * matches as a whole, and that of a task is the one that `tt start` takes. A tag matches as a whole, too.
 *
 * The returned function caches its result for each task link: create one for a list, not one for each entry.
 * Throws TtError `usage` for an empty value, and for one that is also excluded.
 */
export function entryFilter(
  options: EntryFilterOptions,
  settings: BillingSettings,
): (entry: Entry) => boolean {
  const chosen = chosenFilters(options).map(({ key, filter }) => ({ value: options[key] as never, filter }))
  const linkTests = chosen.flatMap(({ value, filter }) => filter.linkTest?.(value, settings) ?? [])
  const tests = chosen.flatMap(({ value, filter }) => filter.test?.(value) ?? [])
  const matchesLink = cachedByLink((link) => linkTests.every((test) => test(link)))
  return (entry) => matchesLink(entry.link) && tests.every((test) => test(entry))
}

/** The names of a header begin with these. */
const firstInHeader: readonly string[] = ['client', 'project', 'task', 'tag']

/** Returns the filters in words, such as "Acme", "without task Travel" and "billable"; for a client without raw syntax. */
export function filterTexts(
  options: EntryFilterOptions,
  entries: readonly Entry[],
  isForClient = false,
): string[] {
  const chosen = chosenFilters(options)
  const first = firstInHeader.flatMap((name) => chosen.filter(({ key }) => key === name))
  const ordered = [...first, ...chosen.filter((each) => !first.includes(each))]
  return ordered.flatMap(({ key, filter }) => filter.words(options[key] as never, { entries, isForClient }))
}

/** Returns whether a record of a client or project, such as an expense, meets the filters by client and project. */
export function namesFilter(
  options: Pick<EntryFilterOptions, 'client' | 'project'>,
): (record: { client: Named | null; project: Named | null }) => boolean {
  const tests = (['project', 'client'] as const).flatMap((level) => {
    const typed = options[level]
    return typed ? { level, matches: valuesTest(typed, level) } : []
  })
  return (record) =>
    tests.every(({ level, matches }) => matches((typed) => isNamed(record[level] ?? undefined, typed)))
}

/** Upper bound for the names that stand for a filter; a filter that matches more is shown as typed. */
const maxNames = 4

function levelFilter(level: Level) {
  return declare({
    ...nameFilter(`filter by ${level} name or ID`),
    linkTest(typed: string[]) {
      const matches = valuesTest(typed, level)
      return (link) => matches((value) => isNamed(namedAt(level, link), value))
    },
    /** The names of the entries replace the included values, which can be IDs or parts of names. */
    words(typed: string[], { entries }: Header) {
      const { included, excluded } = separateExcluded(typed)
      const without = excluded.map((value) => `without ${level} ${value}`)
      if (included.length === 0) return without
      const names = [...new Set(entries.flatMap(({ link }) => link?.[level]?.name ?? []))].sort()
      const isReadable = names.length > 0 && names.length <= maxNames
      const values = isReadable ? names.join(' or ') : `${level} ${included.map(quote).join(' or ')}`
      return [values, ...without]
    },
  })
}

function quote(text: string): string {
  return `“${text}”`
}

/**
 * Returns whether a test accepts one of the included values, if there are any, and no excluded one. Throws TtError `usage`
 * for an empty value, and for one that is also excluded.
 */
function valuesTest(typed: readonly string[], filter: string, convert = (value: string) => value) {
  const { included, excluded } = separateExcluded(typed)
  if ([...included, ...excluded].some((value) => fold(value) === '')) {
    throw new TtError('usage', `The ${filter} filter has an empty value.`, {
      hint: 'Remove the filter to include all entries.',
    })
  }
  const foldedExcluded = new Set(excluded.map(fold))
  const contradiction = included.find((value) => foldedExcluded.has(fold(value)))
  if (contradiction !== undefined) {
    throw new TtError('usage', `The ${filter} filter both includes and excludes "${contradiction}".`, {
      hint: 'Remove one of the two values.',
    })
  }
  const [wanted, unwanted] = [included.map(convert), excluded.map(convert)]
  return (matches: (value: string) => boolean): boolean =>
    (wanted.length === 0 || wanted.some(matches)) && !unwanted.some(matches)
}

function foldTag(typed: string): string {
  const tag = parseTag(typed)
  if (tag !== undefined) return fold(tag)
  throw new TtError('usage', `The tag filter has "${typed}", which is not a tag.`, {
    hint: 'A tag is one word of letters, digits, _ and -, with at least one letter.',
  })
}

/** Returns the record of a link at a level; a task has the ID of the link, which `tt start` takes. */
function namedAt(level: Level, link: Link | undefined): Named | undefined {
  const named = link?.[level]
  if (!named) return undefined
  return level === 'task' ? { id: link.id, name: named.name } : named
}

function isNamed(named: Named | undefined, typed: string): boolean {
  if (!named) return false
  return String(named.id) === typed || fold(named.name).includes(fold(typed))
}

/** Caches the results of a test, so that the names of a link are folded once for all of its entries. */
function cachedByLink(test: (link: Link | undefined) => boolean): (link: Link | undefined) => boolean {
  const results = new Map<Link | undefined, boolean>()
  return (link) => {
    const cached = results.get(link)
    if (cached !== undefined) return cached
    const result = test(link)
    results.set(link, result)
    return result
  }
}
