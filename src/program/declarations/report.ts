import { defineCommand } from '../../cli/declaration.js'
import { groups, wholeNumber } from '../../cli/option-values.js'
import { type Dimension, dimensions } from '../../records/report-names.js'
import { fileExtensions } from '../../ui/formats/formats.js'
import { summaries } from '../command-list.js'
import { entryFilterFlags, entryFilters } from '../options/entry-filters.js'
import { groupingOptions, reportOutputs, roundingOptions } from '../options/report-options.js'
import { cachedOption, outputOption, periodArgument, periodOptions } from '../options/shared-options.js'

/** Rules of options for gaps. */
const notFiltered = {
  conflicts: entryFilterFlags,
  conflictNames: 'filters',
  conflictReason: 'entries outside the filter may fill the gaps',
} as const

/** `tt log`, `tt report`, `tt check` and `tt timesheet`. */
export const commands = {
  log: defineCommand({
    summary: summaries.log,
    args: periodArgument('last 7 days'),
    optionGroups: {
      Filters: { ...periodOptions, ...entryFilters },
      Output: {
        ...cachedOption,
        '-n, --limit <n>': {
          description: 'print only the n newest entries',
          parse: wholeNumber({ least: 1 }),
        },
        '--template <text>': "format each entry, such as '{day} {duration} {label}'",
        '--git': {
          description: 'show your commits in this git repository',
          conflicts: ['--ical'],
          conflictNames: '.ics',
        },
        ...outputOption(fileExtensions.log),
      },
    },
    hasFormats: true,
    examples: [
      'tt log week',
      'tt log monday..wednesday',
      'tt log --since 2024-05-01 --project Website --csv',
      "tt log q2 --client Acme --task '!Travel' --billable",
      'tt log may -o may.ics',
      'tt log today --git',
    ],
    load: () => import('../../commands/log.js'),
  }),
  report: defineCommand({
    summary: summaries.report,
    args: periodArgument('last 7 days'),
    optionGroups: {
      Filters: { ...periodOptions, ...entryFilters },
      Grouping: groupingOptions(dimensions, 'project'),
      Output: { ...cachedOption, ...reportOutputs },
    },
    hasFormats: true,
    examples: [
      'tt report week --by day,project',
      'tt report last month --client Acme --by project,task --round 15m:up',
      'tt report may --by project,day --grid',
      'tt report week --by project --compare last-week',
      'tt report week --chart',
      'tt report last month --client Acme -o report.html',
      'tt report last month --client Acme -o report.pdf --title "Hours for invoice 7"',
    ],
    load: () => import('../../commands/report.js'),
  }),
  check: defineCommand({
    summary: summaries.check,
    description: 'list problems with tracked time, each with the command that corrects it',
    args: periodArgument('last 7 days'),
    options: {
      '--gaps': { description: 'list gaps in working hours', ...notFiltered },
      '--overlaps': 'list overlapping entries',
      '--long': 'list entries longer than the setting entry_limit',
      '--without-notes': 'list entries without notes',
      '--git': {
        description: 'propose entries for the gaps from your commits in this git repository',
        ...notFiltered,
      },
    },
    optionGroups: { Filters: { ...periodOptions, ...entryFilters } },
    hasFormats: true,
    notes: [
      'Without --gaps, --overlaps, --long and --without-notes, everything is checked. With a filter, gaps are not: other entries may fill them.',
    ],
    examples: [
      'tt check',
      'tt check last month --without-notes',
      'tt check week --gaps --git',
      "tt check may --overlaps --json --jq '.[].mend'",
    ],
    load: () => import('../../commands/check.js'),
  }),
  timesheet: defineCommand({
    summary: summaries.timesheet,
    args: periodArgument('this week'),
    optionGroups: {
      Filters: { ...periodOptions, ...entryFilters },
      Grouping: {
        '--by <keys>': {
          description: 'group by these keys of tt report; the last time unit becomes the columns',
          parse: groups<Dimension>(dimensions),
          default: 'client,project,task,day',
        },
        ...roundingOptions,
      },
      Output: outputOption(fileExtensions.grid),
    },
    hasFormats: true,
    examples: [
      'tt timesheet',
      'tt timesheet last week',
      'tt timesheet last month --client Acme -o may.md',
      'tt timesheet q2 --by project,week --round 15m',
    ],
    load: () => import('../../commands/timesheet.js'),
  }),
}
