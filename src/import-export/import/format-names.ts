/** The formats that can be imported, with what each one is; the order is that of the detection. */
export const formatTitles = {
  timewarrior: 'Timewarrior: JSON of `timew export`, or a data file (YYYY-MM.data)',
  watson: 'Watson: the file "frames", or JSON of `watson log --json`',
  klog: 'klog: a file of records (.klg)',
  timeclock: 'timeclock of hledger, Ledger or Emacs: lines that begin with i and o',
  toggl: 'Toggl Track: detailed report as CSV, or JSON of its API',
  clockify: 'Clockify: detailed report as CSV',
  harvest: 'Harvest: detailed time report as CSV',
  solidtime: 'solidtime: detailed report as CSV',
  ical: 'iCalendar: events of a calendar (.ics)',
  tt: 'tt: entries as JSON, JSON lines or CSV',
  generic: 'any CSV with a header',
} as const

export type FormatName = keyof typeof formatTitles

/** The names of all formats. */
export const formatNames = Object.keys(formatTitles) as readonly FormatName[]
