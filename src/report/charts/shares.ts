import { DurationDisplay } from '../../lib/calendar/duration-display.js'
import { percentText } from '../../lib/text/words.js'
import type { Group } from '../report-model.js'
import type { Share } from './chart-model.js'

const maxShares = 10

/** The groups with the most time, the biggest first, and the rest of them as one. Groups without time are left out. */
export function shares(groups: readonly Group[], display = DurationDisplay.of('1h 24m')): Share[] {
  const timed = groups.filter(({ seconds }) => seconds > 0)
  const { kept, rest } = combineSmallest(timed, (group) => group, maxShares)
  const others = timed.filter((group) => !kept.includes(group))
  const named = kept.map(({ label, seconds, share }) => ({ label, seconds, share }))
  const all = rest ? [...named, { ...rest, share: others.reduce((sum, { share }) => sum + share, 0) }] : named
  const texts = display.texts(all.map(({ seconds }) => seconds))
  return all.map((part, index) => ({ ...part, text: texts[index] ?? '', percent: percentText(part.share) }))
}

/**
 * The `most` biggest, in an order that does not depend on the one they came in, and the sum of the rest: undefined where
 * there is none. A rest of one is no rest: it is shown by its name in the same place.
 */
export function combineSmallest<Item>(
  items: readonly Item[],
  read: (item: Item) => { label: string; seconds: number },
  max: number,
): { kept: Item[]; rest: { label: string; seconds: number } | undefined } {
  const sorted = [...items].sort((a, b) => {
    const [one, other] = [read(a), read(b)]
    return other.seconds - one.seconds || (one.label < other.label ? -1 : one.label > other.label ? 1 : 0)
  })
  if (sorted.length <= max + 1) return { kept: sorted, rest: undefined }
  const others = sorted.slice(max)
  const seconds = others.reduce((sum, item) => sum + read(item).seconds, 0)
  return { kept: sorted.slice(0, max), rest: { label: `${others.length} others`, seconds } }
}
