import { basename } from 'node:path'
import type { SettingJson } from '../../records/shapes/accounts.js'
import type { View } from '../../ui/view.js'

/** A setting with its current value. */
export type SettingRecord = SettingJson

/** @param origins the text about precedence, shown with the origin column; undefined without --origin */
export function settingView(origins: string | undefined): View<SettingRecord> {
  return {
    columns: [
      { key: 'name', title: 'Name' },
      { key: 'value', title: 'Value', canWrap: true },
      ...(origins === undefined ? [] : [{ key: 'origin', title: 'Origin', text: originText }]),
      { key: 'description', title: 'Description', canShrink: true, isMinor: true },
    ],
    json: (row) => ({ ...row }),
    footer: () => origins,
    empty: 'No settings.',
  }
}

/** Returns the name of the file: its path would take the space of the value. */
function originText({ origin }: SettingRecord): string {
  return basename(origin)
}

/** A view with only the value. */
export const valueView: View<SettingRecord> = {
  columns: [{ key: 'value', title: 'Value' }],
  json: (row) => ({ ...row }),
  line: ({ value }) => value ?? '',
  empty: 'No value.',
}
