import type { View } from '../../ui/view.js'

/** A setting with its current value. */
export interface SettingRecord {
  name: string
  /** The value as typed; null when not set. */
  value: string | null
  type: string
  default: string | null
  description: string
  example: string
  /** The path of the file with the value, or "default". */
  origin: string
}

/** @param origins the text about precedence, shown with the origin column; undefined without --origin */
export function settingView(origins: string | undefined): View<SettingRecord> {
  return {
    columns: [
      { key: 'name', title: 'Name' },
      { key: 'value', title: 'Value' },
      ...(origins === undefined ? [] : [{ key: 'origin', title: 'Origin' }]),
      { key: 'description', title: 'Description', canShrink: true },
    ],
    json: (row) => ({ ...row }),
    footer: () => origins,
    empty: 'No settings.',
  }
}

/** A view with only the value. */
export const valueView: View<SettingRecord> = {
  columns: [{ key: 'value', title: 'Value' }],
  json: (row) => ({ ...row }),
  line: ({ value }) => value ?? '',
  empty: 'No value.',
}
