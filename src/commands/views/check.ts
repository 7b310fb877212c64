import type { Style, View } from '../../ui/view.js'

/** What one check of `tt doctor` has found. */
export interface Check {
  check: CheckName
  state: 'ok' | 'warning' | 'error'
  /** What was found, in a sentence. */
  message: string
  /** What to do about it; null where nothing is to be done. */
  hint: string | null
}

const areas = {
  versions: 'This machine',
  configuration: 'This machine',
  settings: 'This machine',
  disk: 'This machine',
  state: 'What is kept here',
  workspace: 'What is kept here',
  outbox: 'What is kept here',
  'other outbox': 'What is kept here',
  keychain: 'The service',
  service: 'The service',
  clock: 'The service',
} as const

export type CheckName = keyof typeof areas

/** At a terminal, what is long stands under the table, whole. */
export const checkView: View<Check> = {
  columns: [
    { key: 'check', title: 'Check' },
    { key: 'state', title: 'State', text: ({ state }, ink) => colourOf(state, ink)(state) },
    { key: 'message', title: 'Found', canShrink: true },
    {
      key: 'hint',
      title: 'What to do',
      text: ({ hint }, _, inTable) => (hint && inTable ? 'see below' : (hint ?? '')),
    },
  ],
  json: (row) => ({ ...row }),
  group: ({ check }, ink) => ink.bold(areas[check]),
  footer: (rows, ink) =>
    rows
      .filter(({ hint }) => hint !== null)
      .map((row) => explanation(row, ink))
      .join('\n\n') || 'Everything is in order.',
  empty: 'Nothing was checked.',
}

function explanation({ check, state, message, hint }: Check, ink: Style): string {
  return `${colourOf(state, ink)(check)}: ${message}\n${hint}`
}

function colourOf(state: Check['state'], { green, yellow, red }: Style): (text: string) => string {
  return { ok: green, warning: yellow, error: red }[state]
}
