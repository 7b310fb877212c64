import { formatDuration } from '../../lib/calendar/duration.js'
import type { Report } from '../../report/report-model.js'

const directions = { up: 'up to', down: 'down to', nearest: 'to the nearest' } as const

/** Returns "each entry rounded up to 15 min", "entries rounded by client or project"; undefined without rounding. */
export function roundingText({ rounding, by }: Pick<Report, 'rounding' | 'by'>): string | undefined {
  if (!rounding) return undefined
  const { single } = rounding
  if (!single) return 'entries rounded by client or project'
  const rounded = rounding.of === 'entries' ? 'each entry' : `the total of each ${by.at(-1)}`
  return `${rounded} rounded ${directions[single.direction]} ${stepText(single.stepSeconds)}`
}

function stepText(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`
  return seconds % 60 === 0 && seconds < 3600 ? `${seconds / 60} min` : formatDuration(seconds)
}
