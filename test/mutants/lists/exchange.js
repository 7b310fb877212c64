// Import, export, and the formats of output.

/** @type {import('../mutants.js').MutatedFile[]} */
export const exchange = [
  {
    file: 'src/import-export/import/external-id.ts',
    mutants: [
      {
        name: 'imports the second of two equal entries with the ID of the first',
        replace: 'ordinal === 1 ? `${format}/${key}` : `${format}/${key}.${ordinal}`',
        with: '`${format}/${key}`',
      },
      {
        name: 'imports an entry again because it has ended since the last export',
        replace: 'placedOn === null ? [start.getTime()] :',
        with: 'placedOn === null ? [start.getTime(), end?.getTime()] :',
      },
      {
        name: 'imports an entry again because its tags are in another order',
        replace: 'tags.length > 1 ? tags.toSorted() : tags',
        with: 'tags',
      },
      {
        name: 'makes external IDs that are longer than services accept',
        replace: 'return id.length <= maxLength ? id :',
        with: 'return id.length >= 0 ? id :',
      },
    ],
  },
  {
    file: 'src/import-export/import/values/dates.ts',
    mutants: [
      {
        name: 'reads a date with dots with the month first',
        replace: "if (separator === '.' || order === 'day-month')",
        with: "if (order === 'day-month')",
      },
      {
        name: 'imports 31 June',
        replace: 'if (dateNumber > 28 && dateNumber > daysInMonth(yearNumber, monthNumber)) return undefined',
        with: 'if (dateNumber > 31) return undefined',
      },
      {
        name: 'guesses the order of day and month',
        replace: 'other === undefined || this.#ambiguous === undefined ? { order }',
        with: 'other === undefined || this.#ambiguous !== undefined ? { order }',
      },
    ],
  },
  {
    file: 'src/import-export/import/values/entry-times.ts',
    mutants: [
      {
        name: 'reads a whole number without a unit as hours',
        replace: "if (unit === undefined && !decimal.includes('.')) return undefined",
        with: '',
      },
      {
        name: 'reads an amount of 1,234 as 1.234',
        replace: "isMoney && separator === ',' && decimals.length === 3",
        with: "isMoney && separator === '.' && decimals.length === 3",
      },
      {
        name: 'imports negative durations',
        replace: "if (decimal === undefined || decimal.startsWith('-')) return undefined",
        with: 'if (decimal === undefined) return undefined',
      },
    ],
  },
  {
    file: 'src/import-export/import/values/local-times.ts',
    mutants: [
      {
        name: 'imports an entry that begins in the hour that daylight saving skips',
        replace: 'if (isSkipped) return []',
        with: 'if (isSkipped) return [instant]',
      },
      {
        name: 'takes the first of two equal local times although only the second fits the duration',
        replace: 'starts.find((instant) => differenceMs(instant) < minuteMs) ?? first',
        with: 'first',
      },
      {
        name: 'imports an entry whose duration contradicts its start and end',
        replace: 'if (ends.length > 0 && differenceMs(start) > maxDifferenceMs)',
        with: 'if (ends.length > 1 && differenceMs(start) > maxDifferenceMs)',
      },
    ],
  },
  {
    file: 'src/import-export/import/values/entry-times.ts',
    mutants: [
      {
        name: 'places all entries without a time of day at the same time',
        replace: 'this.#nextStartMs.set(key, startMs + lengthMs)',
        with: '',
      },
      {
        name: 'places an entry without a time of day over a range of the same day',
        replace: '&& end.getTime() > startMs) startMs = end.getTime()',
        with: '&& end.getTime() > startMs) startMs += 0',
      },
    ],
  },
  {
    file: 'src/import-export/import/values/entry-times.ts',
    mutants: [
      {
        name: 'imports 12:30 AM as half past twelve',
        replace: "return (hour % 12) + (half === 'p' ? 12 : 0)",
        with: "return hour + (half === 'p' && hour < 12 ? 12 : 0)",
      },
      {
        name: 'ignores the offset of an imported time',
        replace: "return new Date(sign === '-' ? asUtc + offsetMs : asUtc - offsetMs)",
        with: 'return new Date(asUtc)',
      },
    ],
  },
  {
    file: 'src/import-export/import/csv/csv-entries.ts',
    mutants: [
      {
        name: 'imports an end after midnight as one before the start',
        replace: 'return wallTime(addDays(day, 1), { hour, minute, second, millisecond })',
        with: 'return wallTime(day, { hour, minute, second, millisecond })',
      },
      {
        name: 'imports a row with more fields than the header',
        replace: 'if (extra >= 0) {',
        with: 'if (extra >= 100) {',
      },
      {
        name: 'imports time that is not billable as billable',
        replace: '/^(no|false|0|non-billable|nein)$/i.test(text) ? false : null',
        with: '/^(no|false|0|non-billable|nein)$/i.test(text) ? true : null',
      },
      {
        name: 'keeps the apostrophe before text that looks like a formula',
        replace: 'return text.startsWith("\'") ? withoutFormulaGuard(text).trim() : text',
        with: 'return text',
      },
    ],
  },
  {
    file: 'src/import-export/import/csv/csv-rows.ts',
    mutants: [
      {
        name: 'counts the lines of a CSV file without those in quoted fields',
        replace: 'this.#line += 1 + countNewlines(fields)',
        with: 'this.#line += 1',
      },
      {
        name: 'counts delimiters in quoted names of columns',
        replace: 'const unquoted = firstLine.replace(/"[^"]*"/g, \'\')',
        with: 'const unquoted = firstLine',
      },
    ],
  },
  {
    file: 'src/import-export/import/formats/timewarrior.ts',
    mutants: [
      {
        name: 'imports an interval of Timewarrior that ends before it starts',
        replace: 'if (to && to < from) throw',
        with: 'if (to && to < from && !end) throw',
      },
      {
        name: 'imports the annotation of Timewarrior as tags',
        replace: 'separator < 0 ? [words, []] : [words.slice(0, separator), words.slice(separator + 1)]',
        with: '[words.filter((word) => word !== "#"), [] as string[]]',
      },
    ],
  },
  {
    file: 'src/import-export/import/formats/watson.ts',
    mutants: [
      {
        name: 'imports times of Watson in milliseconds',
        replace: 'return new Date(value * 1000)',
        with: 'return new Date(value)',
      },
    ],
  },
  {
    file: 'src/import-export/import/formats/klog.ts',
    mutants: [
      {
        name: 'imports breaks of klog as entries',
        replace: 'if (isBreak(entry)) continue',
        with: '',
      },
      {
        name: 'does not subtract the breaks of klog',
        replace: 'yield* subtractBreaks(timed)',
        with: '',
      },
      {
        name: 'imports two open ranges of a klog record',
        replace: 'if (isOpen && hasOpenRange)',
        with: 'if (isOpen && !hasOpenRange && day === "")',
      },
    ],
  },
  {
    file: 'src/import-export/import/ical/calendar-events.ts',
    mutants: [
      {
        name: 'imports cancelled events',
        replace: "if (isCancelled(component)) return 'cancelled events'",
        with: '',
      },
      {
        name: 'imports events of whole days',
        replace: "if (ownStart.isDate) return 'events of whole days'",
        with: '',
      },
      {
        name: 'imports an occurrence that its event excludes',
        replace: 'if (excluded.has(key) || excluded.has(date) || found.has(key)) return',
        with: 'if (found.has(key)) return',
      },
      {
        name: 'imports a changed occurrence at its original time',
        replace: 'const change = changes.get(key) ?? changes.get(date)',
        with: 'const change = changes.get(date)',
      },
      {
        name: 'imports events of the future',
        replace: 'if (from < since || from >= until) return outsidePeriod',
        with: 'if (from < since) return outsidePeriod',
      },
    ],
  },
  {
    file: 'src/import-export/import/ical/revisions.ts',
    mutants: [
      {
        name: 'imports the earlier of two versions of an event',
        replace: 'a.sequence === b.sequence ? a.stamp > b.stamp : a.sequence > b.sequence',
        with: 'a.sequence === b.sequence ? a.stamp < b.stamp : a.sequence < b.sequence',
      },
    ],
  },
  {
    file: 'src/import-export/importer/compare.ts',
    mutants: [
      {
        name: 'creates an entry again that was imported and deleted since',
        replace: "AS entry SET action = 'deleted' WHERE action = 'create'",
        with: "AS entry SET action = 'create' WHERE action = 'create'",
      },
      {
        name: 'overwrites an entry that only the user has changed since the import',
        replace: '(imported.undone = 0 AND imported.content = entry.content) OR',
        with: '(imported.undone = 2 AND imported.content = entry.content) OR',
      },
      {
        name: 'takes two equal entries of the source for one of the profile',
        replace: 'AND source.link = other.link AND source.number = other.number',
        with: 'AND source.link = other.link',
      },
      {
        name: 'creates an entry that the profile has without an external ID',
        replace: "AS entry SET action = 'equal', record = equal.id FROM (",
        with: "AS entry SET action = 'create', record = equal.id FROM (",
      },
      {
        name: 'compares milliseconds that services do not store',
        replace: 'existing.start_at / 1000 = entry.start_at / 1000 AND',
        with: 'existing.start_at = entry.start_at AND',
      },
    ],
  },
  {
    file: 'src/import-export/importer/preview.ts',
    mutants: [
      {
        name: 'reports an imported entry that only touches another one as an overlap',
        replace: 'endOf(last) > row.start_at && endOf(row) > row.start_at',
        with: 'endOf(last) >= row.start_at && endOf(row) > row.start_at',
      },
      {
        name: 'does not report an overlap with an entry that begins later',
        replace: 'following !== undefined && following.start_at < endOf(row)',
        with: 'following !== undefined && following.start_at < row.start_at',
      },
    ],
  },
  {
    file: 'src/import-export/importer/read-source.ts',
    mutants: [
      {
        name: 'makes an entry without an end of an earlier day the running timer',
        replace: 'if (dayOf(entry.start) !== dayOf(this.#now) || entry.start > this.#now)',
        with: 'if (entry.start > this.#now)',
      },
      {
        name: 'ends an imported entry in the future',
        replace: 'end: end > this.#now ? this.#now : end',
        with: 'end',
      },
    ],
  },
  {
    file: 'src/import-export/importer/resolve-links.ts',
    mutants: [
      {
        name: 'prefers equal names to the mapping file of the user',
        replace:
          'rules.mapping?.find(names) ??\n    rules.choices.get(namesKey(names)) ??\n    linkOfTags(names, rules.index) ??\n    linkOfNames(names, rules, hasClients)',
        with: 'linkOfNames(names, rules, hasClients) ?? rules.mapping?.find(names)',
      },
      {
        name: 'takes one of several tasks that the tags of an entry name',
        replace: 'only && others.length === 0 ? existingLink(only) : undefined',
        with: 'only ? existingLink(only) : undefined',
      },
    ],
  },
  {
    file: 'src/import-export/export/findings.ts',
    mutants: [
      {
        name: 'does not report entries that the format cannot express',
        replace: 'if (omitted) findings.omittedRunning.add(omitted)',
        with: '',
      },
      {
        name: 'does not report an overlap with a long earlier entry',
        replace: 'if (!latest || endMs > latest.endMs) this.#latest',
        with: 'if (!latest || endMs !== latest.endMs) this.#latest',
      },
      {
        name: 'does not report notes that the format loses',
        replace: "if (lacksNotes !== undefined && entry.notes !== '') findings",
        with: "if (lacksNotes === undefined && entry.notes !== '') findings",
      },
    ],
  },
  {
    file: 'src/import-export/export/formats/klog.ts',
    mutants: [
      {
        name: 'writes an entry that ends on the next day without the mark of klog',
        replace: "${days === 1 ? '>' : ''}",
        with: '',
      },
      {
        name: 'writes two open ranges into one record of klog',
        replace: 'record?.day === day && !(isOpen && record.hasOpenRange)',
        with: 'record?.day === day',
      },
    ],
  },
  {
    file: 'src/import-export/export/formats/timeclock.ts',
    mutants: [
      {
        name: 'writes a colon of a name, which divides accounts of hledger',
        replace: ".replaceAll(':', '-')",
        with: '',
      },
      {
        name: 'writes an end before the start where the clocks go back',
        replace: 'if (localMs(end) >= localMs(start)) return end',
        with: 'if (end >= start) return end',
      },
    ],
  },
  {
    file: 'src/import-export/export/formats/timewarrior.ts',
    mutants: [
      {
        name: 'writes local times where Timewarrior expects UTC',
        replace: "return `${instant.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`",
        with: "return `${new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`",
      },
    ],
  },
  {
    file: 'src/import-export/export/formats/watson.ts',
    mutants: [
      {
        name: 'writes the project of an entry as a tag of Watson, too',
        replace: 'namesAndTags(entry).filter((tag) => tag !== project)',
        with: 'namesAndTags(entry)',
      },
    ],
  },
  {
    file: 'src/ui/formats/csv.ts',
    mutants: [
      {
        name: 'writes text that a spreadsheet runs as a formula',
        replace: "return isRisky ? `'${text}` : text",
        with: 'return text',
      },
      {
        name: 'puts an apostrophe before negative numbers',
        replace: '&& !/^[+-]?\\d+(\\.\\d+)?$/.test(text)',
        with: '',
      },
      {
        name: 'does not double quotation marks in CSV',
        replace: "text.replaceAll('\"', '\"\"')",
        with: 'text',
      },
      {
        name: 'does not quote a comma in CSV',
        replace: 'return /[",\\r\\n]/.test(text) ?',
        with: 'return /["\\r\\n]/.test(text) ?',
      },
      {
        name: 'writes a tab of a value unescaped into TSV',
        replace: "{ '\\t': '\\\\t', '\\n': '\\\\n',",
        with: "{ '\\n': '\\\\n',",
      },
      {
        name: 'ends lines of CSV without a carriage return',
        replace: "return `${line === '' ? '\"\"' : line}\\r\\n`",
        with: "return `${line === '' ? '\"\"' : line}\\n`",
      },
    ],
  },
  {
    file: 'src/ui/formats/json.ts',
    mutants: [
      {
        name: 'writes characters into JSON that control a terminal',
        replace: '/\\udb40[\\udc00-\\udc7f]|[\\x7f-\\x9f\\u061c',
        with: '/\\udb40[\\udc00-\\udc7f]|[\\x7f\\u061c',
      },
      {
        name: 'writes JSON without a comma between records',
        replace: '`${waiting},\\n`',
        with: '`${waiting}\\n`',
      },
    ],
  },
  {
    file: 'src/ui/formats/template.ts',
    mutants: [
      {
        name: 'prints nothing for an unknown field of a template',
        replace:
          "checkKeys(view, rows, fields, { option: '--template', others: [...templateFields.keys()] })",
        with: '',
      },
      {
        name: 'accepts an unmatched brace in a template',
        replace: 'if (unmatched !== undefined)\n      throw',
        with: 'if (unmatched === null)\n      throw',
      },
    ],
  },
  {
    file: 'src/ui/formats/ical.ts',
    mutants: [
      {
        name: 'writes lines of iCalendar that are too long',
        replace: 'ICAL.foldLength = 74',
        with: 'ICAL.foldLength = 75',
      },
      {
        name: 'writes an end of iCalendar that equals the start',
        replace: "end > start ? time('dtend', end) : undefined",
        with: "end >= start ? time('dtend', end) : undefined",
      },
    ],
  },
  {
    file: 'src/ui/formats/markdown.ts',
    mutants: [
      {
        name: 'writes a vertical bar unescaped into a table of Markdown',
        replace: '/[\\\\`*_~|[\\]<&]/g',
        with: '/[\\\\`*_~[\\]<&]/g',
      },
    ],
  },
  {
    file: 'src/lib/text/html.ts',
    mutants: [
      {
        name: 'writes names of projects as markup into pages',
        replace: "'<': '&lt;',",
        with: "'<': '<',",
      },
      {
        name: 'ends an attribute of a page at a quotation mark in its value',
        replace: "'\"': '&quot;',",
        with: "'\"': '\"',",
      },
    ],
  },
  {
    file: 'src/lib/text/control-characters.ts',
    mutants: [
      {
        name: 'prints characters that reverse the text after them',
        replace: '\\xa0-\\u2029\\u202f-\\u2065\\u206a',
        with: '\\xa0-\\u2065\\u206a',
      },
      {
        name: 'prints a carriage return that overwrites the line',
        replace: '/\\r(?!\\n)|\\udb40',
        with: '/\\udb40',
      },
    ],
  },
  {
    file: 'src/lib/text/shell-quoting.ts',
    mutants: [
      {
        name: 'suggests a command in which an apostrophe of a name ends the word',
        replace: 'text.replaceAll("\'", "\'\\\\\'\'")',
        with: 'text',
      },
    ],
  },
  {
    file: 'src/lib/typed-amount.ts',
    mutants: [
      {
        name: 'guesses whether 1,234 is an amount of thousands',
        replace: "if (point === ',' && decimals.length === 3)",
        with: "if (point === ';' && decimals.length === 3)",
      },
    ],
  },
]
