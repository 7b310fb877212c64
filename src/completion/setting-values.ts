import { type Setting, settingNamed, settingTable } from '../config/settings/setting-table.js'
import { type Candidate, toCandidates } from './candidates.js'
import { weekdayWords } from './date-words.js'
import type { SourceRequest, SourceResult } from './sources.js'

/** Names of settings; those of a family by what is known that may stand in them: `rate.Acme`. */
export async function settingNames({ records: known }: SourceRequest): Promise<SourceResult> {
  const families = settingTable.filter(({ name }) => name.includes('PATTERN'))
  const patterns = families.length > 0 ? await known.patterns() : []
  const members = families.flatMap(({ name, description }) =>
    patterns.map((pattern) => ({ value: name.replace('PATTERN', pattern), description })),
  )
  const names = settingTable
    .filter((setting) => !families.includes(setting))
    .map(({ name, description }) => ({ value: name, description }))
  return { candidates: [...names, ...members] }
}

/** Values of the setting that was named. */
export function settingValues({ position: place }: SourceRequest): SourceResult {
  const setting = settingNamed(place.operands[0] ?? '')?.setting
  if (!setting) return { candidates: [] }
  return byType[setting.type]?.(setting) ?? { candidates: ownValues(setting) }
}

const byType: Readonly<Record<string, (setting: Setting) => SourceResult>> = {
  weekday: () => ({ candidates: toCandidates(weekdayWords) }),
  weekdays: () => ({
    candidates: toCandidates(weekdayWords.map((word) => word.slice(0, 3))),
    isList: true,
    isOpen: true,
  }),
  path: () => ({ candidates: [], offersFiles: true }),
}

function ownValues(setting: Setting): Candidate[] {
  const values = [
    { value: setting.default ?? '', description: 'the default' },
    { value: setting.example, description: 'such as this' },
  ]
  return values.filter(({ value }, index) => value !== '' && (index === 0 || value !== setting.default))
}
