import type { CheckJson } from '../../records/shapes/accounts.js'
import type { Style, View } from '../../ui/view.js'

/** The result of a check of `tt doctor`. */
export interface Check extends CheckJson {
  check: CheckName
}

const areas = {
  versions: 'This machine',
  configuration: 'This machine',
  settings: 'This machine',
  disk: 'This machine',
  state: 'Stored data',
  workspace: 'Stored data',
  salvage: 'Stored data',
  outbox: 'Stored data',
  'other outbox': 'Stored data',
  keychain: 'The service',
  service: 'The service',
  clock: 'The service',
} as const

export type CheckName = keyof typeof areas

/** Returns the result of a check that has found nothing wrong. */
export function passed(check: CheckName, message: string): Check {
  return { check, state: 'ok', message, hint: null }
}

/** On a terminal, the hints follow below the table. */
export const checkView: View<Check> = {
  columns: [
    { key: 'check', title: 'Check' },
    { key: 'state', title: 'State', text: ({ state }, style) => colourOf(state, style)(state) },
    { key: 'message', title: 'Result', canWrap: true },
    { key: 'hint', title: 'Hint', canWrap: true, isHiddenOnTerminal: true },
  ],
  json: (row) => ({ ...row }),
  group: ({ check }, style) => style.bold(areas[check]),
  footer: (rows, style) =>
    rows
      .filter(({ hint }) => hint !== null)
      .map((row) => explanation(row, style))
      .join('\n\n') || 'All checks passed.',
  empty: 'Nothing was checked.',
}

function explanation({ check, state, message, hint }: Check, style: Style): string {
  return `${colourOf(state, style)(check)}: ${message}\n${hint}`
}

function colourOf(state: Check['state'], { green, yellow, red }: Style): (text: string) => string {
  return { ok: green, warning: yellow, error: red }[state]
}
