import type { Named } from '../catalog/catalog.js'
import type { Link } from '../catalog/links.js'
import { parsePattern } from '../catalog/name-pattern.js'
import type { Settings } from '../config/settings/settings.js'
import { TtError } from '../lib/errors.js'
import { fold } from '../lib/nearest-names.js'
import type { Entry } from './entry.js'

/** The options of `withEntryFilters` in src/program/lazy-commands.ts, without `--where`, which the service applies. */
export interface EntryFilters {
  project?: string[]
  client?: string[]
  task?: string[]
  notes?: string[]
  running?: boolean
  pending?: boolean
  billable?: boolean
  notBillable?: boolean
}

/**
 * Whether an entry is among those that the options ask for. Of the values of one option any may fit, and none that
 * is written `!value`; the options combine. Names and notes are compared with case and accents folded, an id as a
 * whole. Notes are never asked of the service: it folds other letters than are folded here.
 *
 * The function that comes back keeps what it found for each task link: make one for a list, not one for an entry.
 * Throws TtError `usage` for an empty value, and for filters that nothing can meet.
 */
export function entryFilter(
  options: EntryFilters,
  settings: Pick<Settings, 'billable'>,
): (entry: Entry) => boolean {
  const fitsLink = rememberingLinks(allOf(linkTests(options, settings)))
  const fitsNotes = notesTest(options.notes)
  const { running = false, pending = false } = options
  return (entry) =>
    (!running || entry.end === null) &&
    (!pending || entry.pending) &&
    fitsLink(entry.link) &&
    (fitsNotes === undefined || fitsNotes(entry.notes))
}

type LinkTest = (link: Link | undefined) => boolean

function linkTests(options: EntryFilters, settings: Pick<Settings, 'billable'>): LinkTest[] {
  const tests: LinkTest[] = (['project', 'client', 'task'] as const).flatMap((level) => {
    const wanted = wantedOf(options[level], `--${level}`)
    return wanted
      ? (link: Link | undefined) => isWanted(wanted, (typed) => isNamed(link?.[level], typed))
      : []
  })
  const { billable = false, notBillable = false } = options
  if (billable && notBillable) {
    throw new TtError('usage', 'No entry is both --billable and --not-billable.', {
      hint: 'Give one of them.',
    })
  }
  if (billable || notBillable) {
    const isBillable = billableTest(settings)
    tests.push((link) => isBillable(link) === billable)
  }
  return tests
}

/**
 * Whether what is tracked on a task link can be billed. By the patterns of the settings, where one that is written
 * `!pattern` takes out what it fits; where there is none, or only such, whatever has a client.
 *
 * Throws TtError `usage` for a pattern that cannot be read.
 */
export function billableTest({ billable }: Pick<Settings, 'billable'>): LinkTest {
  const { some, none } = sorted(billable ?? [])
  const [taken, takenOut] = [some.map(parsePattern), none.map(parsePattern)]
  const needsClient = taken.length === 0 && (billable === undefined || takenOut.length > 0)
  return (link) =>
    !takenOut.some((pattern) => pattern.matches(link)) &&
    (needsClient ? Boolean(link?.client) : taken.some((pattern) => pattern.matches(link)))
}

function notesTest(typed: readonly string[] | undefined): ((notes: string) => boolean) | undefined {
  const wanted = wantedOf(typed, '--notes')
  if (!wanted) return undefined
  const { some, none } = { some: wanted.some.map(fold), none: wanted.none.map(fold) }
  return (notes) => {
    const folded = fold(notes)
    return isWanted({ some, none }, (text) => folded.includes(text))
  }
}

/** What may fit, of which one must where there is any, and what must not. */
interface Wanted {
  some: string[]
  none: string[]
}

function isWanted({ some, none }: Wanted, fits: (typed: string) => boolean): boolean {
  return (some.length === 0 || some.some(fits)) && !none.some(fits)
}

function isNamed(named: Named | null | undefined, typed: string): boolean {
  if (!named) return false
  return String(named.id) === typed || fold(named.name).includes(fold(typed))
}

function wantedOf(typed: readonly string[] | undefined, option: string): Wanted | undefined {
  if (typed === undefined) return undefined
  const wanted = sorted(typed)
  const { some, none } = wanted
  if ([...some, ...none].some((value) => fold(value) === '')) {
    throw new TtError('usage', `${option} was given nothing to look for.`, {
      hint: `Leave ${option} away to have all entries.`,
    })
  }
  const excluded = new Set(none.map(fold))
  const both = some.find((value) => excluded.has(fold(value)))
  if (both === undefined) return wanted
  throw new TtError('usage', `${option} asks for "${both}" and excludes it.`, {
    hint: 'Give one of the two.',
  })
}

/** Values apart from those written `!value`. A value that begins with an exclamation mark itself is written `\!value`. */
function sorted(typed: readonly string[]): Wanted {
  return {
    some: typed.filter((value) => !value.startsWith('!')).map((value) => value.replace(/^\\!/, '!')),
    none: typed.filter((value) => value.startsWith('!')).map((value) => value.slice(1)),
  }
}

function allOf(tests: readonly LinkTest[]): LinkTest {
  return (link) => tests.every((test) => test(link))
}

/** Names are folded once for a link, however many entries it has. */
function rememberingLinks(test: LinkTest): LinkTest {
  const known = new Map<Link | undefined, boolean>()
  return (link) => {
    const before = known.get(link)
    if (before !== undefined) return before
    const fits = test(link)
    known.set(link, fits)
    return fits
  }
}
