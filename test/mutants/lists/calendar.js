// Days, times, durations and periods.

/** @type {import('../mutants.js').MutatedFile[]} */
export const calendar = [
  {
    file: 'src/lib/calendar/day.ts',
    mutants: [
      {
        name: 'counts an instant of an hour that is repeated at midnight to the previous day',
        replace: 'return repeated ? addDays(day, 1) : day',
        with: 'return day',
      },
      {
        name: 'computes the bounds of a day with a clock change as if it had 24 hours',
        replace: '[fromMs - nearMidnightMs, fromMs, toMs].every(',
        with: '[fromMs].every(',
      },
      {
        name: 'assigns March to the second quarter',
        replace: 'Math.ceil(parts(day).month / 3)',
        with: 'Math.floor(parts(day).month / 3) + 1',
      },
      { name: 'omits the last day of a range of days', replace: 'if (first <= last) yield last', with: '' },
      {
        name: 'counts one day less than a range has',
        replace: '(Date.parse(last) - Date.parse(first)) / dayMs) + 1',
        with: '(Date.parse(last) - Date.parse(first)) / dayMs)',
      },
      {
        name: 'accepts 30 February as a day',
        replace: 'new Date(epochMs).toISOString().startsWith(text)',
        with: 'true',
      },
    ],
  },
  {
    file: 'src/lib/calendar/duration.ts',
    mutants: [
      {
        name: 'accepts a duration of zero',
        replace: 'if (seconds < 1) throw',
        with: 'if (seconds < 0) throw',
      },
      {
        name: 'accepts a duration of 60 minutes after the hours, such as 1:60',
        replace: "if (minutes > '59')",
        with: "if (minutes > '60')",
      },
      {
        name: 'accepts a duration with a fraction before its last part',
        replace: "present.slice(0, -1).some((part) => part.includes('.'))",
        with: "present.slice(1).some((part) => part.includes('..'))",
      },
      {
        name: 'accepts a duration without a unit',
        replace: 'if (/^\\d+(\\.\\d+)?$/.test(plain)) {',
        with: 'if (/^\\d+\\.\\d+$/.test(plain)) {',
      },
      {
        name: 'shows 60 seconds as seconds instead of a minute',
        replace: 'if (whole < 60) return',
        with: 'if (whole <= 60) return',
      },
      {
        name: 'shows negative durations without their sign',
        replace: "const sign = seconds < 0 ? '-' : ''",
        with: "const sign = ''",
      },
    ],
  },
  {
    file: 'src/lib/calendar/duration-display.ts',
    mutants: [
      {
        name: 'shows durations of a list that do not add up to their total',
        replace:
          'return apportion(BigInt(units), numerators, 3600n).map((part) => (Number(part) * 3600) / unitsPerHour)',
        with: 'return seconds.map((part) => (this.#unitsOf(part) * 3600) / unitsPerHour)',
      },
      {
        name: 'rounds decimal hours down instead of to the nearest hundredth',
        replace: 'roundsDown ? Math.floor(units) : Math.round(units)',
        with: 'Math.floor(units)',
      },
      {
        name: 'writes exact decimal hours with two places when seconds need four',
        replace: 'fits(36) ? 2 : 4',
        with: 'fits(1) ? 2 : 4',
      },
    ],
  },
  {
    file: 'src/lib/calendar/interval.ts',
    mutants: [
      {
        name: 'treats intervals that only touch as overlapping',
        replace: 'return startMs < endMs ?',
        with: 'return startMs <= endMs ?',
      },
      {
        name: 'does not split an interval at midnight',
        replace: 'new Date(Math.min(endOfDay(day).getTime(), interval.end.getTime()))',
        with: 'new Date(Math.max(endOfDay(day).getTime(), interval.end.getTime()))',
      },
    ],
  },
  {
    file: 'src/lib/calendar/period.ts',
    mutants: [
      {
        name: 'reads "last week" as the week before the last one',
        replace: '{ last: 1, this: 0, next: -1 }',
        with: '{ last: 2, this: 0, next: -1 }',
      },
      {
        name: 'reads "last month" in January as January of this year',
        replace: 'monthOf(Math.floor(index / 12), (index % 12) + 1)',
        with: 'monthOf(year, (index % 12) + 1)',
      },
      {
        name: 'reads a number of days as one day more',
        replace: '{ first: addDays(words.today, 1 - days), last: words.today }',
        with: '{ first: addDays(words.today, -days), last: words.today }',
      },
      {
        name: 'reads a month without a year as one in the future',
        replace: 'index + 1 <= current.month ? current.year : current.year - 1',
        with: 'current.year',
      },
      {
        name: 'reads an ISO week as one of next year that has not begun',
        replace: 'span !== undefined && span.first <= today',
        with: 'span !== undefined',
      },
      {
        name: 'accepts a period whose first day is after its last day',
        replace: 'if (next === undefined || begin.first > next.last) {',
        with: 'if (next === undefined) return { first: begin.first, last: end.last }\n    if (begin.first > next.last) {',
      },
      {
        name: 'reads a weekday after ".." as one before the first day',
        replace: 'addDays(first, 6)\n  if',
        with: 'addDays(first, -1)\n  if',
      },
    ],
  },
  {
    file: 'src/lib/calendar/time.ts',
    mutants: [
      {
        name: 'reads 12am as noon',
        replace: "(clock.hour % 12) + (half === 'p' ? 12 : 0)",
        with: "clock.hour + (half === 'p' && clock.hour < 12 ? 12 : 0)",
      },
      {
        name: 'accepts a local time that daylight saving skips',
        replace: 'if (!isSkipped) return instant',
        with: 'if (!isSkipped || instant) return instant',
      },
      {
        name: 'reads the offset of RFC 3339 with the opposite sign',
        replace: "sign === '-' ? asUtc + offsetMs : asUtc - offsetMs",
        with: "sign === '-' ? asUtc - offsetMs : asUtc + offsetMs",
      },
      { name: 'accepts 24 as an hour', replace: 'clock.hour > 23', with: 'clock.hour > 24' },
      {
        name: 'reads "15m ago" as a time in the future',
        replace: 'nowSeconds - parseOffset(earlier, text)',
        with: 'nowSeconds + parseOffset(earlier, text)',
      },
      {
        name: 'writes offsets west of Greenwich with a plus',
        replace: "offsetMinutes < 0 ? '-' : '+'",
        with: "offsetMinutes > 0 ? '-' : '+'",
      },
      {
        name: 'writes the second of two equal local times so that it is read as the first',
        replace: 'parseTime(plain, instant).getTime() === instant.getTime() ? plain : toRfc3339(instant)',
        with: 'plain',
      },
    ],
  },
  {
    file: 'src/lib/calendar/parse-words.ts',
    mutants: [
      {
        name: 'reads "last monday" on a Monday as today',
        replace: 'isLast && daysAgo === 0 ? 7 : daysAgo',
        with: 'daysAgo',
      },
      {
        name: 'reads a weekday as the next one instead of the most recent one',
        replace: 'addDays(today, -(isLast',
        with: 'addDays(today, (isLast',
      },
      {
        name: 'reads D.M.YYYY with the month first',
        replace: '`${year}-${pad(Number(month))}-${pad(Number(date))}`',
        with: '`${year}-${pad(Number(date))}-${pad(Number(month))}`',
      },
    ],
  },
  {
    file: 'src/lib/calendar/rounding.ts',
    mutants: [
      {
        name: 'rounds a duration down where the user wants it up',
        replace: 'Math.ceil(steps)',
        with: 'Math.floor(steps)',
      },
      {
        name: 'rounds half a step down',
        replace: 'Math.round(steps)) *',
        with: 'Math.ceil(steps - 0.5)) *',
      },
    ],
  },
  {
    file: 'src/lib/calendar/day.ts',
    mutants: [
      {
        name: 'ignores the first day of the week that the user set',
        replace: '(weekday(day) - weekStart + 7) % 7',
        with: '(weekday(day) + 6) % 7',
      },
      {
        name: 'accepts week 53 of a year that has 52',
        replace: 'addDays(monday, 3).startsWith(String(year)) ? monday : undefined',
        with: 'monday',
      },
    ],
  },
  {
    file: 'src/lib/calendar/zoned-time.ts',
    mutants: [
      {
        name: 'moves a skipped local time to a wrong instant after the clock change',
        replace: 'instant: firstInstantPast(targetMs, instant.getTime())',
        with: 'instant',
      },
    ],
  },
  {
    file: 'src/lib/calendar/zoned-time.ts',
    mutants: [
      {
        name: 'reads a repeated hour of another time zone as the second one',
        replace: 'Math.max(...matching)',
        with: 'Math.min(...matching)',
      },
    ],
  },
  {
    file: 'src/lib/calendar/time-zone.ts',
    mutants: [
      {
        name: 'ends a day of the company at its start',
        replace: 'instantAt(Date.parse(`${day}T00:00:00Z`) + dayMs, zone)',
        with: 'instantAt(Date.parse(`${day}T00:00:00Z`), zone)',
      },
    ],
  },
]
