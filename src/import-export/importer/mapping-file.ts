import { TtError } from '../../lib/errors.js'
import { fold } from '../../lib/text/nearest-names.js'
import { csvRows, withoutFormulaGuard } from '../import/csv/csv-rows.js'
import type { TextSource } from '../import/source/text-source.js'
import { parseTaskLink } from './default-task.js'
import type { LinkIndex } from './link-index.js'
import type { LinkAssignment, SourceNames } from './staging.js'

/** The columns of a mapping file that name what occurs in the source. */
export const sourceColumns = ['client', 'project', 'task', 'tags'] as const
const linkColumn = 'tt_task'

/** Matches every value of a column. */
const wildcard = '*'

interface MappingRow {
  line: number
  /** The folded values of `sourceColumns`. */
  values: readonly string[]
  /** undefined for a row without a task link. */
  link: LinkAssignment | undefined
  isUsed: boolean
}

/** The task links of a mapping file. */
export class LinkMapping {
  readonly #name: string
  /** The rows by their values, in the order of the file. */
  readonly #rows = new Map<string, MappingRow>()
  /** Which columns of the rows match every value, without repetition: a file can have very many rows. */
  readonly #patterns = new Map<string, readonly boolean[]>()

  /** @param name the name of the file for messages */
  constructor(name: string) {
    this.#name = name
  }

  /** Adds a row. Throws TtError `usage` if an earlier row has the same names and another task link. */
  add(line: number, values: readonly string[], link: LinkAssignment | undefined) {
    const key = JSON.stringify(values)
    const earlier = this.#rows.get(key)
    if (earlier && JSON.stringify(earlier.link) !== JSON.stringify(link)) {
      throw new TtError('usage', `${this.#name}:${line}: Line ${earlier.line} has the same names.`, {
        hint: 'Remove one of the two lines.',
      })
    }
    if (earlier) return
    this.#rows.set(key, { line, values, link, isUsed: false })
    const pattern = values.map((value) => value === wildcard)
    this.#patterns.set(pattern.join(), pattern)
  }

  /** Returns the task link of these names: that of the row with exactly them, otherwise of the first row that matches. */
  find(names: SourceNames): LinkAssignment | undefined {
    const values = valuesOf(names)
    const matching = [...this.#patterns.values()].flatMap((pattern) => {
      const key = JSON.stringify(values.map((value, index) => (pattern[index] ? wildcard : value)))
      return this.#rows.get(key) ?? []
    })
    const row = this.#rows.get(mappingKey(names)) ?? matching.sort((a, b) => a.line - b.line)[0]
    if (row) row.isUsed = true
    return row?.link
  }

  /** Returns what is wrong with the rows that have a task link and matched nothing so far, one sentence each. */
  unusedRows(): string[] {
    return [...this.#rows.values()]
      .filter(({ link, isUsed }) => link !== undefined && !isUsed)
      .map(({ line }) => `${this.#name}:${line}: No entry has these names.`)
  }
}

/**
 * Reads a mapping file: CSV with some of the columns `client`, `project`, `task` and `tags` (separated by commas), and
 * `tt_task`: the ID of a task, or client/project/task. Names are compared without case and accents.
 * `*`, and a missing column, matches every value. A row without a task link assigns none.
 *
 * Throws TtError `usage` for missing columns, and for task links that do not exist.
 */
export async function readMappingFile(source: TextSource, index: LinkIndex): Promise<LinkMapping> {
  const mapping = new LinkMapping(source.name)
  let columns: Columns | undefined
  for await (const { line, fields } of csvRows(source)) {
    if (columns === undefined) {
      columns = columnsOf(source.name, fields)
      continue
    }
    const text = (column: number | undefined) =>
      column === undefined ? wildcard : withoutFormulaGuard(fields[column]?.trim() ?? '')
    const typed = text(columns.link)
    const link = typed === '' ? undefined : linkAt(typed, line, columns, source.name, index)
    const values = columns.names.map(text)
    mapping.add(line, foldedValues(values), link)
  }
  if (columns === undefined) throw headerError(source.name, `${source.name} is empty.`)
  return mapping
}

interface Columns {
  /** The index of each of `sourceColumns`. */
  names: (number | undefined)[]
  link: number
}

function columnsOf(name: string, header: readonly string[]): Columns {
  const names = header.map((column) => fold(column))
  const indexOf = (column: string) => {
    const found = names.indexOf(column)
    return found < 0 ? undefined : found
  }
  const link = indexOf(linkColumn)
  const columns = sourceColumns.map(indexOf)
  if (link !== undefined && columns.some((column) => column !== undefined)) return { names: columns, link }
  const missing = link === undefined ? linkColumn : sourceColumns.join(', ')
  throw headerError(
    name,
    `${name}:1: The column ${missing} is missing. The file has: ${header.join(', ').slice(0, 300)}.`,
  )
}

function headerError(name: string, message: string): TtError {
  return new TtError('usage', message, {
    hint: `The first line of ${name} must be ${[...sourceColumns, linkColumn].join(',')}.`,
  })
}

function linkAt(
  typed: string,
  line: number,
  columns: Columns,
  file: string,
  index: LinkIndex,
): LinkAssignment {
  try {
    return parseTaskLink(typed, index)
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    const {
      message,
      hint = 'Write the ID of a task link, or client/project/task.',
      nextStep,
      candidates,
    } = error
    throw new TtError('usage', `${file}:${line}:${columns.link + 1}: ${linkColumn}: ${message}`, {
      ...{ hint, nextStep, candidates },
    })
  }
}

/** Returns the key of names, which is the same for names that differ in case and accents only. */
export function mappingKey(names: SourceNames): string {
  return JSON.stringify(valuesOf(names))
}

function valuesOf({ client, project, task, tags }: SourceNames): string[] {
  return foldedValues([client ?? '', project ?? '', task ?? '', tags.join(',')])
}

/** Returns the values for comparison. The order of tags does not count. */
function foldedValues([client = '', project = '', task = '', tags = '']: readonly string[]): string[] {
  const words = tags
    .split(',')
    .map((tag) => fold(tag).replace(/^#/, ''))
    .filter((tag) => tag !== '')
  return [fold(client), fold(project), fold(task), words.sort().join(',')]
}
