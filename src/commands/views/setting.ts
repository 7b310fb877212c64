import type { View } from '../../ui/view.js'

/** A setting as it is in force. */
export interface SettingRecord {
  name: string
  /** As one would type it; null where nothing is set. */
  value: string | null
  type: string
  default: string | null
  description: string
  example: string
  /** The path of the file that it is set in, or "default". */
  origin: string
}

/** @param origins what is to be said of where values come from; undefined where nobody asks */
export function settingView(origins: string | undefined): View<SettingRecord> {
  return {
    columns: [
      { key: 'name', title: 'Name' },
      { key: 'value', title: 'Value' },
      ...(origins === undefined ? [] : [{ key: 'origin', title: 'From' }]),
      { key: 'description', title: 'Description', canShrink: true },
    ],
    json: (row) => ({ ...row }),
    footer: () => origins,
    empty: 'No settings.',
  }
}

/** The value alone. */
export const valueView: View<SettingRecord> = {
  columns: [{ key: 'value', title: 'Value' }],
  json: (row) => ({ ...row }),
  line: ({ value }) => value ?? '',
  empty: 'No value.',
}
