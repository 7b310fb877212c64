/** The formats that each list can be printed in, each by an option of that name. */
export const listFormats = ['json', 'ndjson', 'csv', 'markdown'] as const
export type ListFormat = (typeof listFormats)[number]

/** The formats that an option selects. `ical` and `template` are for entries. */
export const selectableFormats = [...listFormats, 'ical', 'template'] as const

/** Every output format. Without an option it is a table on a terminal and TSV elsewhere. */
export const formats = ['table', 'tsv', ...selectableFormats] as const
export type Format = (typeof formats)[number]
