import { describe, expect, it } from 'vitest'
import { DurationDisplay } from '../../../../src/calendar/duration-display.js'
import type { ChartOptions } from '../../../../src/ui/charts/chart-options.js'
import { progressText } from '../../../../src/ui/charts/progress.js'
import { plainStyle } from '../../../../src/ui/view.js'

const hour = 3600
const durations = DurationDisplay.of('1h 24m')
const options: ChartOptions = { style: plainStyle, width: 50, unicode: true }
const progress = (today: [number, number], week: [number, number]) => ({
  today: { seconds: today[0] * hour, target: today[1] * hour },
  week: { seconds: week[0] * hour, target: week[1] * hour, due: 0 },
})

describe('progressText', () => {
  it('shows a bar of the time within the target, with aligned figures', () => {
    expect(progressText(progress([4, 8], [30, 40]), durations, options)).toBe(
      'Today  ███████████          │   4h 00m   of 8h 00m\n' +
        'Week   ████████████████▌    │  30h 00m  of 40h 00m\n',
    )
  })

  it('marks the target in a longer bar, and draws none without a target', () => {
    const [today, week] = progressText(progress([2, 0], [50, 40]), durations, {
      ...options,
      unicode: false,
    }).split('\n')
    expect(today).toMatch(/^Today {20,}2h 00m {3}no target$/)
    expect(week).toMatch(/^Week {3}#+\|#+ {2}50h 00m {2}of 40h 00m$/)
  })

  it.each([20, 40, 60, 80, 120])('fits %i columns', (width) => {
    const lines = progressText(progress([4, 8], [30, 40]), durations, { ...options, width }).split('\n')
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width)
  })
})
