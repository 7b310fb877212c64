/** The formats of an export, each with its title for the help. */
export const exportFormatTitles = {
  json: 'JSON, as in the output of tt log; lossless',
  ndjson: 'JSON lines: an entry on each line; also --ndjson',
  csv: 'CSV (RFC 4180), as in the output of tt log',
  ical: 'iCalendar (RFC 5545)',
  timewarrior: 'JSON of timew export; data files with --output DIRECTORY',
  watson: 'the file "frames" of Watson',
  klog: 'records of klog (.klg)',
  timeclock: 'clock-in and clock-out lines of hledger, Ledger and Emacs',
  toggl: 'detailed report of Toggl Track (CSV)',
  clockify: 'detailed report of Clockify (CSV)',
} as const

export type ExportFormatName = keyof typeof exportFormatTitles

export const exportFormatNames = Object.keys(exportFormatTitles) as ExportFormatName[]

/** The formats whose values are escaped where a spreadsheet would run them as a formula. */
export const csvFormatNames: readonly ExportFormatName[] = ['csv', 'toggl', 'clockify']
