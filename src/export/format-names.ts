/** The formats of an export, each with its title for the help. */
export const exportFormatTitles = {
  json: 'JSON, as in the output of tt log; lossless',
  csv: 'CSV (RFC 4180), as in the output of tt log',
  ical: 'iCalendar (RFC 5545)',
  timewarrior: 'JSON of timew export; data files with --output DIRECTORY',
} as const

export type ExportFormatName = keyof typeof exportFormatTitles

export const exportFormatNames = Object.keys(exportFormatTitles) as ExportFormatName[]

/** The formats whose values are escaped where a spreadsheet would run them as a formula. */
export const csvFormatNames: readonly ExportFormatName[] = ['csv']
