/** The formats of every list; each has an option of its name. */
export const listFormats = ['json', 'ndjson', 'csv', 'markdown'] as const
export type ListFormat = (typeof listFormats)[number]

/** What each format prints, for the help; `--json` is an option of every command. */
export const formatDescriptions: Readonly<Record<Exclude<ListFormat, 'json'>, string>> = {
  ndjson: 'one JSON value per line',
  csv: 'CSV (RFC 4180) with a header',
  markdown: 'a Markdown table',
}

/** The formats that have an option. `ical` and `template` are for entries only. */
export const selectableFormats = [...listFormats, 'ical', 'template'] as const

/** The formats of files that `--output` writes, by their extensions: the names of options. A PDF is a printed HTML page. */
export const fileFormats = {
  '.html': 'html',
  '.pdf': 'html',
  '.csv': 'csv',
  '.json': 'json',
  '.md': 'markdown',
  '.ics': 'ical',
} as const
export type FileExtension = keyof typeof fileFormats

/** The extensions of the files that a command writes with `--output`. */
export const fileExtensions = {
  report: ['.html', '.pdf', '.csv', '.json', '.md'],
  log: ['.csv', '.json', '.md', '.ics'],
  grid: ['.csv', '.json', '.md'],
} as const satisfies Record<string, readonly FileExtension[]>

/** All output formats. Without an option, the format is `table` on a terminal and `tsv` elsewhere. */
export type Format = 'table' | 'tsv' | (typeof selectableFormats)[number]
