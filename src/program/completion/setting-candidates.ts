import { placeholder, type Setting, settingNamed, settingTable } from '../../config/settings/setting-table.js'
import { durationFormats } from '../../lib/calendar/duration-display.js'
import { type Candidate, toCandidates } from './candidates.js'
import { weekdayWords } from './date-words.js'
import type { SourceRequest, SourceResult } from './sources.js'

/**
 * Returns the names of settings; for a family such as `rate.PATTERN`, one name for each known client and project, and for
 * one such as `client.NAME.street`, one for each client.
 */
export async function settingNames({ records }: SourceRequest): Promise<SourceResult> {
  const families = settingTable.filter(({ name }) => placeholder.test(name))
  const patterns = families.length > 0 ? await records.patterns() : []
  const clients = patterns.filter((pattern) => !pattern.includes('/'))
  const members = families.flatMap(({ name, description }) =>
    (name.includes('PATTERN') ? patterns : clients).map((pattern) => ({
      value: name.replace(placeholder, pattern),
      description,
    })),
  )
  const names = settingTable
    .filter((setting) => !families.includes(setting))
    .map(({ name, description }) => ({ value: name, description }))
  return { candidates: [...names, ...members] }
}

/** Returns the values of the setting in the first argument. */
export function settingValues({ position }: SourceRequest): SourceResult {
  const setting = settingNamed(position.operands[0] ?? '')?.setting
  if (!setting) return { candidates: [] }
  return byType[setting.type]?.(setting) ?? { candidates: exampleValues(setting) }
}

const byType: Readonly<Record<string, (setting: Setting) => SourceResult>> = {
  weekday: () => ({ candidates: toCandidates(weekdayWords) }),
  weekdays: () => ({
    candidates: toCandidates(weekdayWords.map((word) => word.slice(0, 3))),
    isList: true,
    isOpen: true,
  }),
  'duration format': () => ({ candidates: toCandidates(durationFormats) }),
  path: () => ({ candidates: [], offersFiles: true }),
}

function exampleValues(setting: Setting): Candidate[] {
  const values = [
    { value: setting.default ?? '', description: 'the default' },
    { value: setting.example, description: 'an example' },
  ]
  return values.filter(({ value }, index) => value !== '' && (index === 0 || value !== setting.default))
}
