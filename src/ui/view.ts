/** Colours for words on a terminal; every one is the identity where colour is off. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
  /** Text that a click opens: an address, or the path of a file. Not there where the terminal takes no links. */
  link?(text: string, target: string): string
  /** The colours of the series of a chart. None where colour is off: series are then told apart by what fills them. */
  series?: SeriesStyle
}

export interface SeriesStyle {
  /** How many there are that anybody can tell apart. From there on they come again, and need another fill. */
  colours: number
  /** Text in the colour of a series, from 0, on the colour of another one where `behind` is given. */
  paint(text: string, index: number, behind?: number): string
}

/**
 * One column of a resource.
 *
 * On a terminal, functions of a column or a view are handed a copy of the row in which control characters
 * of every string stand as visible escapes, so that no value can drive the terminal.
 */
export interface Column<Row> {
  /** The JSON key: the word for `--fields` and the CSV header. */
  key: string
  /** The heading for people. */
  title: string
  /** The cell for people, who see the heading of its `group` above where it is grouped; by default the JSON value of `key`. */
  text?(row: Row, style: Style, grouped: boolean): string
  align?: 'left' | 'right'
  /** Whether a cell may be shortened with `…` to fit the terminal. */
  canShrink?: boolean
  /** Left out of a table where the terminal is too narrow for the others to be read. */
  isMinor?: boolean
  /** Not among the cells of a table on a terminal, unless it is asked for: the footer says it. */
  isHiddenOnTerminal?: boolean
}

/** A field for people in a template. */
export interface TemplateField<Row> {
  key: string
  text(row: Row): string
}

/** What a calendar program shows of a row (RFC 5545 section 3.6.1). */
export interface CalendarEvent {
  /** The same each time for the same row. */
  uid: string
  start: Date
  end: Date
  /** When this was last true, as far as is known. */
  stamp: Date
  created: Date | undefined
  modified: Date | undefined
  summary: string
  description: string
  categories: string[]
  /** It is not over yet. */
  isTentative: boolean
}

/** How a resource looks, whatever the format: an ordered list of columns and a JSON shape. */
export interface View<Row> {
  columns: Column<Row>[]
  /** The record with snake_case keys that are only ever added to. */
  json(row: Row): Record<string, unknown>
  /** Keys of that record which not every row has: to ask for one is no mistake where no row has it. */
  optional?: readonly string[]
  /** One record on a terminal in a sentence, instead of the list of keys and values. */
  line?(row: Row, style: Style): string
  /** Neighbouring table rows with the same text here stand under it as their heading. */
  group?(row: Row, style: Style): string
  /** Words under a table on a terminal. */
  footer?(rows: Row[], style: Style): string | undefined
  /** What `--template` takes besides the JSON keys, and before a key of the same name. */
  templateFields?: readonly TemplateField<Row>[]
  /** A row in a calendar, where it has times. */
  event?(row: Row): CalendarEvent
  /** Words for stderr when a list has no rows, on a terminal. */
  empty: string
}

const identity = (text: string) => text

/** The style that leaves no trace: for files, pipes and terminals without colour. */
export const plainStyle: Style = {
  bold: identity,
  dim: identity,
  red: identity,
  green: identity,
  yellow: identity,
  cyan: identity,
}

/** A JSON value as text: strings as they are, null as nothing, objects and lists as compact JSON. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
