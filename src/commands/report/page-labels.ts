import { addDays, type Weekday } from '../../lib/calendar/day.js'
import { periodText } from '../../lib/calendar/period-text.js'
import type { Dimension } from '../../records/report-names.js'
import type { ComparedGroup } from '../../report/comparison.js'
import { addUnits, firstDayOf, isCalendarUnit } from '../../report/keys.js'
import type { Group } from '../../report/report-model.js'

/** The words in which a page shows groups. */
export interface PageWords {
  weekStart: Weekday
  /** Changes names and notes, such as those with tags on a page for a client. */
  textOf(text: string): string
}

/** Returns groups with labels for a page: "Wednesday, 1 May 2024", "29 April to 5 May 2024", "May 2024". */
export function withPageLabels(groups: readonly Group[], words: PageWords): Group[] {
  return groups.map((group) => ({
    ...group,
    label: pageLabel(group.by, group.key, words) ?? words.textOf(group.label),
    groups: withPageLabels(group.groups, words),
  }))
}

/** Returns the groups of a comparison with labels for a page, in both periods. */
export function withComparedLabels(groups: readonly ComparedGroup[], words: PageWords): ComparedGroup[] {
  return groups.map((group) => {
    const { by, key, label, comparedKey, comparedLabel } = group
    return {
      ...group,
      label: pageLabel(by, key, words) ?? words.textOf(label),
      comparedLabel: pageLabel(by, comparedKey, words) ?? (comparedLabel && words.textOf(comparedLabel)),
      groups: withComparedLabels(group.groups, words),
    }
  })
}

/** Returns the label of a unit of the calendar; undefined for other groups. */
function pageLabel(
  by: Dimension,
  key: string | null,
  { weekStart }: Pick<PageWords, 'weekStart'>,
): string | undefined {
  if (!isCalendarUnit(by) || key === null) return undefined
  const first = firstDayOf(by, key)
  return periodText({ first, last: addDays(addUnits(by, first, 1, weekStart), -1) })
}
