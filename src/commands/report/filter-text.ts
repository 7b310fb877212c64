import type { Entry } from '../../entries/entry.js'
import { separateExcluded } from '../../entries/excluded-values.js'
import type { EntryFilterOptions } from '../../program/options/shared-options.js'

/** Upper bound for the names that stand for a filter; a filter that matches more is shown as typed. */
const maxNames = 4

type Describe = (options: EntryFilterOptions, entries: readonly Entry[], isForClient: boolean) => string[]

/** The description of each filter, in the order of the page: a filter that is missing here does not compile. */
const descriptions: Readonly<Record<keyof EntryFilterOptions, Describe>> = {
  client: nameTexts('client'),
  project: nameTexts('project'),
  task: nameTexts('task'),
  tag: ({ tag = [] }, _, isForClient) => {
    const { included, excluded } = separateExcluded(tag)
    const tagText = (value: string) => `${isForClient ? '' : '#'}${value.replace(/^#/, '')}`
    return [
      ...(included.length > 0 ? [included.map(tagText).join(' or ')] : []),
      ...excluded.map((value) => `without ${tagText(value)}`),
    ]
  },
  notes: ({ notes = [] }) => {
    const { included, excluded } = separateExcluded(notes)
    return [
      ...(included.length > 0 ? [`notes with ${included.map(quote).join(' or ')}`] : []),
      ...excluded.map((value) => `notes without ${quote(value)}`),
    ]
  },
  billable: ({ billable }) => (billable ? ['billable'] : []),
  notBillable: ({ notBillable }) => (notBillable ? ['non-billable'] : []),
  invoiced: ({ invoiced }) => (invoiced ? ['invoiced'] : []),
  uninvoiced: ({ uninvoiced }) => (uninvoiced ? ['not invoiced'] : []),
  running: ({ running }) => (running ? ['running'] : []),
  pending: ({ pending }, _, isForClient) => (pending && !isForClient ? ['not yet synced'] : []),
  where: ({ where = {} }, _, isForClient) =>
    isForClient ? [] : Object.entries(where).map(([key, value]) => `${key}=${value}`),
}

/** Returns the filters in words, such as "Acme", "without task Travel" and "billable"; for a client without raw syntax. */
export function filterTexts(
  options: EntryFilterOptions,
  entries: readonly Entry[],
  isForClient = false,
): string[] {
  return Object.values(descriptions).flatMap((describe) => describe(options, entries, isForClient))
}

/**
 * Returns the description of a filter by name. The names of the entries replace the included values, which can be IDs or
 * parts of names.
 */
function nameTexts(level: 'client' | 'project' | 'task'): Describe {
  return (options, entries) => {
    const { included, excluded } = separateExcluded(options[level] ?? [])
    const without = excluded.map((value) => `without ${level} ${value}`)
    if (included.length === 0) return without
    const names = [...new Set(entries.flatMap(({ link }) => link?.[level]?.name ?? []))].sort()
    const isReadable = names.length > 0 && names.length <= maxNames
    const values = isReadable ? names.join(' or ') : `${level} ${included.map(quote).join(' or ')}`
    return [values, ...without]
  }
}

function quote(text: string): string {
  return `“${text}”`
}
