/** The English names of columns by their German ones, in lower case. */
export type GermanColumns = Readonly<Record<string, string>>

/** Columns that the reports of several services have. */
export const germanColumns: GermanColumns = {
  kunde: 'Client',
  projekt: 'Project',
  aufgabe: 'Task',
  beschreibung: 'Description',
  benutzer: 'User',
  'e-mail': 'Email',
  tags: 'Tags',
  abrechenbar: 'Billable',
  dauer: 'Duration',
}

/** Returns the header in English. A part in parentheses at the end of a name, such as a currency, remains. */
export function englishHeader(header: readonly string[], german: GermanColumns): string[] {
  return header.map((name) => {
    const [, column = '', rest = ''] = /^(.*?)(\s*\([^()]*\))?$/s.exec(name) ?? []
    const english = german[column.toLowerCase()]
    return english === undefined ? name : `${english}${rest}`
  })
}
