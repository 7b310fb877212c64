import type { DurationDisplay } from '../../calendar/duration-display.js'
import type { TargetProgress } from '../../report/target-progress.js'
import { barCells } from './bar-cells.js'
import { type ChartOptions, defaultWidth } from './chart-options.js'
import { linesText } from './layout.js'

/** Returns a row for today and one for this week: a bar against the target, the time and the target. */
export function progressText(
  { today, week }: TargetProgress,
  durations: DurationDisplay,
  options: ChartOptions,
): string {
  const row = (label: string, { seconds, target }: { seconds: number; target: number }) => ({
    label,
    figures: [durations.format(seconds), target > 0 ? `of ${durations.format(target)}` : 'no target'],
    draw: (cells: number) =>
      target > 0 ? barCells([seconds], target, Math.max(seconds, target), cells, options) : ' '.repeat(cells),
  })
  const rows = [row('Today', today), row('Week', week)]
  return linesText(rows, options.width ?? defaultWidth, options.style)
}
