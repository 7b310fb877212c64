import type { Command } from 'commander'
import { expenseDimensions } from '../../report/dimensions.js'
import { summaries } from '../command-list.js'
import { command, commandGroup, type LazyAction, listCommand } from '../lazy-commands.js'
import {
  alternatives,
  collect,
  examples,
  whereOption,
  withExpenseFilters,
  withPeriod,
} from '../shared-options.js'

/** Declares `tt expenses`. */
export function declareExpenses(program: Command, lazyAction: LazyAction) {
  commandGroup(program, 'expenses', summaries.expenses, (command) => declareCommands(command, lazyAction))
}

function declareCommands(expenses: Command, lazyAction: LazyAction) {
  const load = () => import('../../commands/expenses.js')
  expenses.addHelpText(
    'after',
    examples('tt expenses', 'tt expenses add 12.50 --type Travel -n "train"', 'tt expenses report --month'),
  )
  listCommand(
    expenses,
    'list',
    'list expenses',
    (command) =>
      withExpenseFilters(withPeriod(command, 'expenses'))
        .addHelpText('after', examples('tt expenses --since may', 'tt expenses list --type Travel --csv'))
        .action(lazyAction(async () => (await load()).list)),
    true,
  )
  listCommand(
    expenses,
    'report',
    'sum up expenses by type or other keys, separately for each currency',
    (command) =>
      withExpenseFilters(withPeriod(command, 'expenses'))
        .optionsGroup('Grouping:')
        .option('--by <keys>', `group by ${alternatives(expenseDimensions)} (comma-separated)`, 'type')
        .addHelpText(
          'after',
          examples(
            'tt expenses report --year --by month,type',
            "tt expenses report --by project --type '!Meals' --csv",
          ),
        )
        .action(lazyAction(() => import('../../commands/expense-report.js'))),
  )
  command(expenses, 'add', 'add an expense', (command) =>
    withExpenseFields(
      command
        .argument('[amount]', 'amount, such as 12.50')
        .option('--amount <amount>', 'amount (instead of the argument)'),
      true,
    )
      .addHelpText(
        'after',
        examples(
          'tt expenses add 12.50 --type Travel --on yesterday -n "train"',
          'tt expenses add 84 --type Travel --currency CHF --project Website',
        ),
      )
      .action(lazyAction(async () => (await load()).add)),
  )
  command(expenses, 'edit', 'edit an expense', (command) =>
    withExpenseFields(command.argument('<id>', 'expense ID').option('--amount <amount>', 'amount'), false)
      .addHelpText(
        'after',
        examples('tt expenses edit 3 --amount 13.20', 'tt expenses edit 3 --field billable:=true'),
      )
      .action(lazyAction(async () => (await load()).edit)),
  )
  command(expenses, 'rm', 'delete expenses', (command) =>
    command
      .argument('<id...>', 'expense IDs')
      .addHelpText('after', examples('tt expenses rm 3', 'tt expenses rm 3 4 --yes'))
      .action(lazyAction(async () => (await load()).rm)),
  )
  listCommand(expenses, 'types', 'list active expense types', (command) =>
    command
      .addOption(whereOption())
      .addHelpText('after', examples('tt expenses types', 'tt expenses types --where name_cont=trav'))
      .action(lazyAction(async () => (await load()).types)),
  )
}

/**
 * Adds the options for the fields of an expense.
 *
 * @param isNew whether the command creates the expense, so that omitted options have defaults
 */
function withExpenseFields(command: Command, isNew: boolean): Command {
  const defaultText = (text: string) => (isNew ? ` (default: ${text})` : '')
  return command
    .option('--on <date>', `date of the expense${defaultText('today')}`)
    .option('--currency <code>', `ISO 4217 currency code${defaultText('the currency of the company')}`)
    .option('--type <type>', 'expense type name or ID')
    .option('--project <project>', 'project name or ID')
    .option('-n, --notes <text>', 'notes')
    .option('--external-id <id>', 'ID of the expense in another system')
    .option(
      '--field <key=value>',
      'set any other field (repeatable; key:=JSON for a value that is not a string)',
      collect,
    )
}
