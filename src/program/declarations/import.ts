import { defineCommand } from '../../cli/declaration.js'
import { choice, firstDay, lastDay } from '../../cli/option-values.js'
import { csvFields, parseColumns } from '../../import-export/import/csv/csv-fields.js'
import { formatNames, formats } from '../../import-export/import/formats.js'
import { encodings } from '../../import-export/import/source/encodings.js'
import { dateOrders } from '../../import-export/import/values/dates.js'
import { alternatives } from '../../lib/text/words.js'
import { summaries } from '../command-list.js'

/** `tt import`. */
export const commands = {
  import: defineCommand({
    summary: summaries.import,
    args: { '<file...>': 'files of another time tracker; - for standard input' },
    optionGroups: {
      Source: {
        '--format <format>': {
          description: 'format (see below; default: detected)',
          parse: choice(formatNames),
        },
        '--columns <map>': {
          description: 'columns of a CSV file, such as start=From,end=Until,project=Job (fields: see below)',
          parse: (typed: string) => parseColumns(typed),
        },
        '--date-order <order>': {
          description: `order of day and month in dates such as 03/04/2024: ${alternatives(dateOrders)}`,
          parse: choice(dateOrders),
        },
        '--encoding <encoding>': {
          description: `encoding of a file without a byte order mark: ${alternatives(encodings)}`,
          parse: choice(encodings),
        },
        '--since <date>': {
          description: 'only entries that start on or after this date',
          parse: firstDay,
        },
        '--until <date>': {
          description: 'only entries that start up to and including this date',
          parse: lastDay,
        },
        '--person <name>': 'only entries of this person, in the report of a team',
      },
      Tasks: {
        '--task <task>':
          'task of entries without one: Task, or Project/Task for entries that have no project either (default: the setting import.task, else that of default_task)',
        '--map <file>': 'CSV file that assigns tasks to clients, projects, tasks and tags',
        '--map-template <file>': 'write a file for --map with all names of the source; import nothing',
      },
      Import: {
        '--end-open <end>':
          'end of entries without one: a time such as 17:00, a duration such as 1h, or skip (default: the last one of today becomes the running timer, others are skipped)',
        '--dry-run': 'print what would be imported; change nothing',
        '--update': 'update entries that were imported earlier and have changed in the source',
        '--again': 'import entries again that were imported earlier and deleted since',
        '--skip-invalid': 'import the other entries if rows cannot be read; lists the rows and exits 7',
      },
    },
    notes: [
      'Entries that were imported earlier are not imported again. Each file is one change for `tt undo`. In a terminal, `tt import` prints a preview and prompts; elsewhere it requires --yes.',
      `Fields of --columns: ${csvFields.join(', ')}.`,
      {
        title: 'Formats',
        rows: formatNames.map((name) => ({ term: name, meaning: formats[name].title })),
      },
    ],
    examples: [
      'tt import toggl.csv',
      'tt import toggl.csv --dry-run --json',
      'tt import timew.json --task Work/Tracked',
      'tt import frames --map-template map.csv',
      'tt import frames --map map.csv',
      'tt import calendar.ics --since 2024-01-01 --task Acme/Meetings/Calls',
    ],
    load: () => import('../../commands/import.js'),
  }),
}
