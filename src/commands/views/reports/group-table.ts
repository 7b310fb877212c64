import type { Id } from '../../../api-client/types.js'
import { once } from '../../../lib/once.js'
import { capitalize } from '../../../lib/text/words.js'
import type { Column, Style, Summary, View } from '../../../ui/view.js'

/** A sum by groups, from which `groupSummary` creates all formats. */
export interface GroupTable<Group extends GroupNode<Group>, Figures> {
  by: readonly string[]
  groups: readonly Group[]
  /** Returns the JSON of all. */
  record(): Record<string, unknown>
  /** Returns the JSON of a group with its subgroups. */
  json(group: Group): Record<string, unknown>
  /** The columns of figures for people. */
  columns: Column<TableRow<Figures>>[]
  /** Returns the totals below the groups in a document; a terminal has them in its footer. */
  totals?(): TableRow<Figures>[]
  /** The columns for programs. */
  keys: readonly string[]
  /** Returns the figures of an innermost group, the last one of its path, for programs, with at least these keys. */
  values(group: Group, path: readonly Group[]): Record<string, unknown>
  /** Further columns of CSV only. */
  csv?: Pick<GroupTable<Group, Figures>, 'keys' | 'values'> | undefined
  footer(style: Style): string
  empty: string
}

interface GroupNode<Group> {
  by: string
  key: string | null
  id: Id | null
  label: string
  running?: boolean
  groups: readonly Group[]
}

/** A group with the groups from the outermost one to this one. */
interface Place<Group> {
  group: Group
  path: readonly Group[]
}

/** A line for people: a group, or a total. */
export interface TableRow<Figures> {
  label: string
  depth: number
  isParent: boolean
  running: boolean
  /** Returns the figures. This and `json` are functions because a terminal copies all values of a row. */
  figures(): Figures
  json(): Record<string, unknown>
}

/**
 * Returns the forms of a sum: a tree with subtotals for tables, innermost groups for CSV, an object for JSON. Only the
 * requested form is created: each takes much memory for very many groups.
 */
export function groupSummary<Figures, Group extends GroupNode<Group> & Figures>(
  table: GroupTable<Group, Figures>,
): Summary {
  const { by, groups, keys, csv, empty } = table
  const tree = once(() => groupRows(groups, table.json))
  const treeView: View<TableRow<Figures>> = {
    columns: [labelColumn(by), ...table.columns],
    json: (row) => row.json(),
    footer: (_, style) => table.footer(style),
    empty,
  }
  const flat = (more?: typeof csv) => {
    const view: View<Place<Group>> = {
      columns: columnsOf([...by, ...keys, ...(more?.keys ?? []), ...by.filter(isRecord).map(idKey)]),
      json: ({ group, path }) => ({
        ...keysOf(path),
        ...table.values(group, path),
        ...more?.values(group, path),
        ...idsOf(path),
      }),
      empty,
    }
    return { view, rows: [...placesOf(groups)].filter(({ group }) => group.groups.length === 0) }
  }
  return {
    get record() {
      return table.record()
    },
    get tree() {
      return { view: treeView, rows: tree() }
    },
    get document() {
      const rows = tree()
      return { view: treeView, rows: rows.length > 0 ? [...rows, ...(table.totals?.() ?? [])] : rows }
    },
    get flat() {
      return flat()
    },
    get csv() {
      return flat(csv)
    },
  }
}

/** Yields each group before its subgroups. */
function* placesOf<Group extends GroupNode<Group>>(
  groups: readonly Group[],
  around: readonly Group[] = [],
): Generator<Place<Group>> {
  for (const group of groups) {
    const path = [...around, group]
    yield { group, path }
    yield* placesOf(group.groups, path)
  }
}

/** Returns the rows of groups for people, each before its subgroups. */
export function groupRows<Group extends GroupNode<Group>>(
  groups: readonly Group[],
  json: (group: Group) => Record<string, unknown> = () => ({}),
): TableRow<Group>[] {
  return Array.from(placesOf(groups), ({ group, path }) => ({
    label: group.label,
    depth: path.length - 1,
    isParent: group.groups.length > 0,
    running: group.running ?? false,
    figures: () => group,
    json: () => json(group),
  }))
}

/** Returns the row of a total; without JSON for a part of one. */
export function totalRow<Figures>(
  label: string,
  figures: Figures,
  { running = false, json = {} }: { running?: boolean; json?: Record<string, unknown> } = {},
): TableRow<Figures> {
  return { label, depth: 0, isParent: true, running, figures: () => figures, json: () => json }
}

/** Returns the column of the names of groups, which are indented below their parents. */
export function labelColumn(
  by: readonly string[],
): Column<Pick<TableRow<unknown>, 'label' | 'depth' | 'isParent' | 'running'>> {
  return {
    key: 'key',
    title: capitalize(by.join(' / ')),
    canShrink: true,
    text({ label, depth, isParent, running }, style) {
      const name = isParent ? style.bold(label) : label
      return `${'  '.repeat(depth)}${name}${running ? `  ${style.green('running')}` : ''}`
    },
  }
}

/** Returns a column of figures for people. */
export function figureColumn<Figures>(
  key: string,
  title: string,
  textOf: (figures: Figures) => string,
  more: Partial<Column<TableRow<Figures>>> = {},
): Column<TableRow<Figures>> {
  return { key, title, align: 'right', text: ({ figures }) => textOf(figures()), ...more }
}

/** Returns columns for programs, whose titles are never shown. */
export function columnsOf(keys: readonly string[]): { key: string; title: string }[] {
  return keys.map((key) => ({ key, title: key }))
}

/** Whether the groups of a grouping are records. Records can have equal names, such as projects of different clients. */
function isRecord(grouping: string): boolean {
  return ['user', 'client', 'project', 'task', 'type'].includes(grouping)
}

const idKey = (grouping: string) => `${grouping}_id`

function keysOf(path: readonly Pick<GroupNode<unknown>, 'by' | 'key'>[]): Record<string, string | null> {
  return Object.fromEntries(path.map(({ by, key }) => [by, key]))
}

/** Returns the IDs of the records in a line; null for a group such as `no project`. */
function idsOf(path: readonly Pick<GroupNode<unknown>, 'by' | 'id'>[]): Record<string, Id | null> {
  return Object.fromEntries(path.filter(({ by }) => isRecord(by)).map(({ by, id }) => [idKey(by), id]))
}
