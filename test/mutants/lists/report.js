// Sums, money, targets, comparisons and findings of reports.

/** @type {import('../mutants.js').MutatedFile[]} */
export const report = [
  {
    file: 'src/lib/decimals.ts',
    mutants: [
      {
        name: 'gives the missing steps of a sum to the parts with the smallest remainders',
        replace: 'compare(b.remainder, a.remainder)',
        with: 'compare(a.remainder, b.remainder)',
      },
      {
        name: 'gives the missing steps of a sum to the last of equal parts',
        replace: '|| a.index - b.index',
        with: '|| b.index - a.index',
      },
    ],
  },
  {
    file: 'src/lib/decimals.ts',
    mutants: [
      {
        name: 'subtracts the current period from the compared one',
        replace: '=> from - less',
        with: '=> less - from',
      },
      {
        name: 'drops digits when it adds amounts with different numbers of digits',
        replace: 'Math.max(placesOf(a), placesOf(b))',
        with: 'Math.min(placesOf(a), placesOf(b))',
      },
    ],
  },
  {
    file: 'src/report/rates.ts',
    mutants: [
      {
        name: 'keeps only the last amount of a currency instead of the sum',
        replace: 'before === undefined ? amount : addDecimals(before, amount)',
        with: 'before === undefined ? amount : addDecimals(amount, "0")',
      },
    ],
  },
  {
    file: 'src/report/rates.ts',
    mutants: [
      {
        name: 'rounds half a cent down',
        replace: '(2n * numerator + denominator) / (2n * denominator)',
        with: '(2n * numerator + denominator - 1n) / (2n * denominator)',
      },
      {
        name: 'computes amounts of a currency without decimals as if it had two',
        replace: 'BigInt(whole + fraction) * tenTo(currencyDecimals(upperCode))',
        with: 'BigInt(whole + fraction) * tenTo(2)',
      },
      {
        name: 'treats equal prices in different currencies as the same rate',
        replace: 'one.amount === other.amount && one.currency === other.currency',
        with: 'one.amount === other.amount',
      },
      {
        name: 'ignores the rounding of a group in its amount',
        replace: 'numerator * BigInt(rounded), denominator * BigInt(exact)',
        with: 'numerator * BigInt(exact), denominator * BigInt(exact)',
      },
    ],
  },
  {
    file: 'src/report/entry-parts.ts',
    mutants: [
      {
        name: 'counts the time of an entry before the period of the report',
        replace: 'end > fromMs && start < toMs',
        with: 'start < toMs',
      },
      {
        name: 'ignores an entry without duration',
        replace: '(fromMs === toMs && (startMs < endMs || toMs === end?.getTime()))',
        with: 'fromMs === toMs',
      },
      {
        name: 'rounds each day of an entry that spans midnight, so that days exceed the entry',
        replace: 'roundedSeconds: rounded - roundedBefore,',
        with: 'roundedSeconds: this.#rounded(seconds - secondsBefore),',
      },
      {
        name: 'computes the amount of an entry from its exact duration instead of the rounded one',
        replace: 'amountOf(rate, roundedSeconds)',
        with: 'amountOf(rate, seconds)',
      },
      {
        name: 'gives the amount of an entry that spans midnight to no day',
        replace: 'if (rate) distributeAmount(rate, days)',
        with: 'if (!rate) distributeAmount(rate, days)',
      },
    ],
  },
  {
    file: 'src/report/tally.ts',
    mutants: [
      {
        name: 'counts an entry of two days as two entries',
        replace: 'if (node.lastEntry === this.#entries) return',
        with: '',
      },
      {
        name: 'counts time that is not billable as billable',
        replace: 'if (isBillable) {',
        with: 'if (isBillable || rate === undefined) {',
      },
      {
        name: 'counts an entry with two tags twice in the total',
        replace: "sums: dimension === 'tag' ? this.#leafSums(node) : sums",
        with: 'sums',
      },
      {
        name: 'names one rate for a group of entries with different rates',
        replace: 'isSameRate(node.rate, rate) ? rate : null',
        with: 'isSameRate(node.rate, rate) ? rate : rate',
      },
      {
        name: 'sorts groups from the smallest to the largest',
        replace: 'b.seconds - a.seconds || compareText',
        with: 'a.seconds - b.seconds || compareText',
      },
      {
        name: 'shows projects of the same name without their clients',
        replace: '(times.get(label) ?? 0) > 1',
        with: '(times.get(label) ?? 0) > 2',
      },
      {
        name: 'does not report billable time without a rate',
        replace: 'terms.isBillable && !terms.rate',
        with: '!terms.isBillable && !terms.rate',
      },
    ],
  },
  {
    file: 'src/report/target-progress.ts',
    mutants: [
      {
        name: 'counts time before the first day with a target to the week',
        replace: 'if (day >= (since ?? first)) weekMs',
        with: 'if (day >= first) weekMs',
      },
      {
        name: 'counts time after today to the week',
        replace: 'end: endOfDay(today) }',
        with: 'end: new Date(endOfDay(today).getTime() + 7 * 86_400_000) }',
      },
    ],
  },
  {
    file: 'src/report/work-calendar.ts',
    mutants: [
      {
        name: 'expects work on holidays',
        replace: 'seconds > 0 && isOff(day) ? 0 : seconds',
        with: 'seconds',
      },
      {
        name: 'counts days that the zone skipped as working days',
        replace: 'holidays.has(day) || isSkippedDay(day)',
        with: 'holidays.has(day)',
      },
      {
        name: 'counts holidays as working days',
        replace: 'workingDays.includes(weekday(day)) && !isOff(day)',
        with: 'workingDays.includes(weekday(day))',
      },
      {
        name: 'has a target on the days before the first day with targets',
        replace: 'seconds !== undefined && day < since ? 0 : seconds',
        with: 'seconds',
      },
      {
        name: 'counts days after today as working days of a report',
        replace: 'const end = last < today ? last : today',
        with: 'const end = last',
      },
    ],
  },
  {
    file: 'src/report/comparison.ts',
    mutants: [
      {
        name: 'matches days of two periods by date instead of by position',
        replace: 'if (isCalendarUnit(by) && key !== null && period) {',
        with: 'if (isCalendarUnit(by) && key === null && period) {',
      },
      {
        name: 'invents a day after the end of the shorter period',
        replace: 'to.last !== undefined && day > to.last ? null :',
        with: 'to.last === undefined ? null :',
      },
    ],
  },
  {
    file: 'src/report/expense-tally.ts',
    mutants: [
      {
        name: 'adds an amount without a currency to a currency',
        replace: "code?.trim().toUpperCase() || 'XXX'",
        with: "code?.trim().toUpperCase() || 'EUR'",
      },
      {
        name: 'does not list expenses without an amount',
        replace: 'money.length === 0).map',
        with: 'money.length > 1).map',
      },
      {
        name: 'compares sums of different currencies',
        replace: 'compareByMoney(addMoney(spent).length === 1)',
        with: 'compareByMoney(true)',
      },
    ],
  },
  {
    file: 'src/report/keys.ts',
    mutants: [
      {
        name: 'puts entries without tags into no group',
        replace: 'tags.length > 0 ? tags.map(tagKey) : [untagged]',
        with: 'tags.map(tagKey)',
      },
      {
        name: 'puts the entries of different unknown tasks into one group',
        replace: "dimension === 'task' && !link && wire.task_link_id !== null",
        with: "dimension === 'task' && !link && wire.task_link_id === undefined",
      },
      {
        name: 'names the weeks of users whose week starts on Sunday like ISO weeks',
        replace: 'label: weekStart === 1 ?',
        with: 'label: weekStart >= 0 ?',
      },
    ],
  },
  {
    file: 'src/report/grid/controlled-rounding.ts',
    mutants: [
      {
        name: 'rounds the total of a grid to the wrong step',
        replace: 'step.isForward === total.flow < target',
        with: 'step.isForward !== total.flow < target',
      },
    ],
  },
  {
    file: 'src/report/grid/grid.ts',
    mutants: [
      {
        name: 'sorts the columns of a grid backwards',
        replace: '.sort(([a], [b]) => (a < b ? -1 : 1)).map',
        with: '.sort(([a], [b]) => (a < b ? 1 : -1)).map',
      },
      {
        name: 'uses the first grouping of the calendar for columns instead of the last',
        replace: 'by.filter(isOfCalendar).at(-1)',
        with: 'by.filter(isOfCalendar).at(0)',
      },
    ],
  },
  {
    file: 'src/report/health/findings.ts',
    mutants: [
      {
        name: 'reports gaps shorter than a minute',
        replace: 'const minGapMs = 60_000',
        with: 'const minGapMs = 0',
      },
      {
        name: 'reports a gap on a day that is not a working day',
        replace: 'if (work.isWorkingDay(day)) yield*',
        with: 'yield*',
      },
      {
        name: 'reports a gap in the future',
        replace: 'Math.min(hours.end.getTime(), nowMs)',
        with: 'hours.end.getTime()',
      },
      {
        name: 'reports a gap within a long entry that contains a shorter one',
        replace: 'coveredMs = Math.max(coveredMs, entry.toMs)',
        with: 'coveredMs = entry.toMs',
      },
    ],
  },
  {
    file: 'src/report/health/overlaps.ts',
    mutants: [
      {
        name: 'suggests to delete a longer entry of the same task instead of the one within it',
        replace: 'isSameTask && !running && toMs <= span.toMs ? first',
        with: 'isSameTask && !running && toMs >= span.toMs ? first',
      },
      {
        name: 'drops the notes of a deleted entry',
        replace: 'if (open !== survivor && move)',
        with: 'if (open !== survivor && move && !survivor.span.notes)',
      },
      {
        name: 'suggests to delete a running entry as a duplicate',
        replace: 'isSameTask && !running &&',
        with: 'isSameTask &&',
      },
    ],
  },
  {
    file: 'src/report/health/findings.ts',
    mutants: [
      {
        name: 'reports an entry that is exactly as long as the limit',
        replace: 'if (span.toMs - span.fromMs <= limitSeconds * 1000) continue',
        with: 'if (span.toMs - span.fromMs < limitSeconds * 1000) continue',
      },
      {
        name: 'reports notes of spaces as notes',
        replace: "span.notes.trim() === ''",
        with: "span.notes === ''",
      },
    ],
  },
  {
    file: 'src/report/health/commit-proposals.ts',
    mutants: [
      {
        name: 'proposes an entry that begins before the gap',
        replace: 'Math.max(gapStart, Math.ceil((time - maxLeadMs)',
        with: 'Math.max(0, Math.ceil((time - maxLeadMs)',
      },
    ],
  },
  {
    file: 'src/report/limits.ts',
    mutants: [
      {
        name: 'drops the rest of the groups of a long report instead of adding them up',
        replace: '[...leaves, merge(nodes.slice(perParent))] : leaves',
        with: 'leaves : leaves',
      },
    ],
  },
]
