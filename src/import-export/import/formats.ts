import type { ImportFormat } from './format.js'

interface Registered {
  /** What the format is. */
  title: string
  load(): Promise<ImportFormat>
}

/** The formats that can be imported; the order is that of the detection. */
export const formats = {
  timewarrior: {
    title: 'Timewarrior: JSON of `timew export`, or a data file (YYYY-MM.data)',
    load: async () => (await import('./formats/timewarrior.js')).timewarrior,
  },
  watson: {
    title: 'Watson: the file "frames", or JSON of `watson log --json`',
    load: async () => (await import('./formats/watson.js')).watson,
  },
  klog: {
    title: 'klog: a file of records (.klg)',
    load: async () => (await import('./formats/klog.js')).klog,
  },
  timeclock: {
    title: 'timeclock of hledger, Ledger or Emacs: lines that begin with i and o',
    load: async () => (await import('./formats/timeclock.js')).timeclock,
  },
  toggl: {
    title: 'Toggl Track: detailed report as CSV, or JSON of its API',
    load: async () => (await import('./formats/toggl.js')).toggl,
  },
  clockify: {
    title: 'Clockify: detailed report as CSV',
    load: async () => (await import('./formats/clockify.js')).clockify,
  },
  harvest: {
    title: 'Harvest: detailed time report as CSV',
    load: async () => (await import('./formats/harvest.js')).harvest,
  },
  solidtime: {
    title: 'solidtime: detailed report as CSV',
    load: async () => (await import('./formats/solidtime.js')).solidtime,
  },
  ical: {
    title: 'iCalendar: events of a calendar (.ics)',
    load: async () => (await import('./formats/ical.js')).ical,
  },
  tt: {
    title: 'tt: entries as JSON, JSON lines or CSV',
    load: async () => (await import('./formats/tt.js')).tt,
  },
  generic: {
    title: 'any CSV with a header',
    load: async () => (await import('./formats/generic.js')).generic,
  },
} as const satisfies Record<string, Registered>

export type FormatName = keyof typeof formats

/** The names of all formats. */
export const formatNames = Object.keys(formats) as readonly FormatName[]
