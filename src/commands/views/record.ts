import type { View } from '../../ui/view.js'

/** Returns a view of records with these columns: key and title, in this order. */
export function recordView<Row extends object>(fields: Record<string, string>, empty: string): View<Row> {
  return {
    columns: Object.entries(fields).map(([key, title]) => ({ key, title })),
    json: (row) => Object.fromEntries(Object.entries(row)),
    empty,
  }
}

/** Returns the message for an empty list: "No projects. `tt start Project/Task` creates one." */
export function emptyList(things: string, command: string, effect: string): string {
  return `No ${things}. \`${command}\` ${effect}.`
}
