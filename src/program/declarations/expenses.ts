import { commandsIn, defineCommand, defineGroup } from '../../cli/declaration.js'
import { amount, amountOfWords, currency, day, fields, groups } from '../../cli/option-values.js'
import { alternatives } from '../../lib/text/words.js'
import { expenseDimensions } from '../../records/report-names.js'
import { summaries } from '../command-list.js'
import {
  nameFilter,
  periodArgument,
  periodOptions,
  repeatable,
  whereOption,
} from '../options/shared-options.js'
import { catalogCommands } from './catalog.js'

const expenses = commandsIn(() => import('../../commands/expenses.js'))

/** The filters of expenses, in the order of the help. */
const expenseFilters = {
  '--type <type>': nameFilter('filter by expense type name or ID'),
  '--project <project>': nameFilter('filter by project name or ID'),
  '--invoiced': 'only expenses on an invoice',
  '--uninvoiced': { description: 'only expenses on no invoice', conflicts: ['--invoiced'] },
  ...whereOption,
} as const

/** The options for the fields of an expense that have no default. */
const fieldOptions = {
  '--type <type>': 'expense type name or ID',
  '--project <project>': 'project name or ID',
  '-n, --notes <text>': 'notes',
  '--external-id <id>': 'ID of the expense in another system',
  '--field <key=value>': {
    ...repeatable('set any other field; key:=JSON for a value that is not a string'),
    parse: fields,
  },
} as const

/** `tt expenses`. */
export const commands = {
  expenses: defineGroup({
    summary: summaries.expenses,
    default: 'list',
    commands: {
      list: defineCommand({
        summary: 'list expenses',
        args: periodArgument('all'),
        optionGroups: { Filters: { ...periodOptions, ...expenseFilters } },
        hasFormats: true,
        examples: ['tt expenses list may', 'tt expenses list q1 --type Travel --csv'],
        load: expenses('list'),
      }),
      report: defineCommand({
        summary: 'sum up expenses by type or other keys, separately for each currency',
        args: periodArgument('all'),
        optionGroups: {
          Filters: { ...periodOptions, ...expenseFilters },
          Grouping: {
            '--by <keys>': {
              description: `group by ${alternatives(expenseDimensions)} (comma-separated)`,
              parse: groups(expenseDimensions),
              default: 'type',
            },
          },
        },
        hasFormats: true,
        examples: [
          'tt expenses report 2024 --by month,type',
          "tt expenses report --by project --type '!Meals' --csv",
        ],
        load: () => import('../../commands/expense-report.js'),
      }),
      add: defineCommand({
        summary: 'add an expense',
        description: 'add an expense; it belongs to the client of its project (--project Website)',
        args: {
          '[amount...]': { description: 'amount, such as 12.50, 12.50EUR or 84 CHF', parse: amountOfWords },
        },
        options: {
          '--amount <amount>': {
            description: 'amount',
            parse: amount,
            conflicts: ['[amount...]'],
          },
          '--on <date>': { description: 'date of the expense (default: today)', parse: day },
          '--currency <code>': {
            description: 'currency, such as EUR or € (default: the currency of the company)',
            parse: currency,
          },
          ...fieldOptions,
        },
        examples: [
          'tt expenses add 12.50 --type Travel --on yesterday -n "train"',
          'tt expenses add 84 CHF --type Travel --project Website',
        ],
        load: expenses('add'),
      }),
      edit: defineCommand({
        summary: 'edit an expense',
        args: { '<id>': 'expense ID' },
        options: {
          '--amount <amount>': { description: 'amount', parse: amount },
          '--on <date>': { description: 'date of the expense', parse: day },
          '--currency <code>': { description: 'currency, such as EUR or €', parse: currency },
          ...fieldOptions,
        },
        examples: ['tt expenses edit 3 --amount 13.20', 'tt expenses edit 3 --field billable:=true'],
        load: expenses('edit'),
      }),
      rm: defineCommand({
        summary: 'delete expenses',
        args: { '<id...>': 'expense IDs' },
        examples: ['tt expenses rm 3', 'tt expenses rm 3 4 --yes'],
        load: expenses('rm'),
      }),
      types: defineGroup({
        summary: 'list and change expense types',
        default: 'list',
        commands: {
          list: defineCommand({
            summary: 'list active expense types',
            optionGroups: { Filters: whereOption },
            hasFormats: true,
            examples: ['tt expenses types', 'tt expenses types list --where name_cont=trav'],
            load: expenses('types'),
          }),
          ...catalogCommands('workspace').expenseTypes,
        },
        examples: ['tt expenses types', 'tt expenses types rename Travel Trips'],
      }),
    },
    examples: [
      'tt expenses',
      'tt expenses add 12.50 --type Travel -n "train"',
      'tt expenses report last month',
    ],
  }),
}
