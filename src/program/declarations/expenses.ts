import type { Command } from 'commander'
import {
  collect,
  command,
  examples,
  type LazyAction,
  listCommand,
  whereOption,
  withPeriod,
} from '../lazy-commands.js'

/** `tt expenses` and the words under it. */
export function declareExpenses(expenses: Command, lazily: LazyAction) {
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
      withFilters(command)
        .addHelpText('after', examples('tt expenses --since may', 'tt expenses list --type Travel --csv'))
        .action(lazily(async () => (await load()).list)),
    true,
  )
  listCommand(expenses, 'report', 'sum up expenses by currency', (command) =>
    withFilters(command)
      .option(
        '--by <words>',
        'group by day, week, month, quarter, year, type, client, project or currency (comma-separated)',
        'type',
      )
      .addHelpText(
        'after',
        examples(
          'tt expenses report --year --by month,type',
          "tt expenses report --by project --type '!Meals' --csv",
        ),
      )
      .action(lazily(() => import('../../commands/expense-report.js'))),
  )
  command(expenses, 'add', 'add an expense', (command) =>
    withFields(
      command
        .argument('[amount]', 'amount, such as 12.50')
        .option('--amount <amount>', 'amount, as an option'),
    )
      .addHelpText(
        'after',
        examples(
          'tt expenses add 12.50 --type Travel --on yesterday -n "train"',
          'tt expenses add 84 --type Travel --currency CHF --project Website',
        ),
      )
      .action(lazily(async () => (await load()).add)),
  )
  command(expenses, 'edit', 'edit an expense', (command) =>
    withFields(command.argument('<id>', 'expense ID').option('--amount <amount>', 'new amount'))
      .addHelpText(
        'after',
        examples('tt expenses edit 3 --amount 13.20', 'tt expenses edit 3 --field billable:=true'),
      )
      .action(lazily(async () => (await load()).edit)),
  )
  command(expenses, 'rm', 'delete expenses', (command) =>
    command
      .argument('<id...>', 'expense IDs')
      .addHelpText('after', examples('tt expenses rm 3', 'tt expenses rm 3 4 --yes'))
      .action(lazily(async () => (await load()).rm)),
  )
  listCommand(expenses, 'types', 'list active expense types', (command) =>
    command
      .addOption(whereOption())
      .addHelpText('after', examples('tt expenses types', 'tt expenses types --where name_cont=trav'))
      .action(lazily(async () => (await load()).types)),
  )
}

function withFilters(command: Command): Command {
  const several = 'name or ID (repeatable; prefix with ! to exclude)'
  return withPeriod(command)
    .option('--type <type>', `filter by expense type ${several}`, collect)
    .option('--project <project>', `filter by project ${several}`, collect)
    .addOption(whereOption())
}

function withFields(command: Command): Command {
  return command
    .option('--on <date>', 'date of the expense (default when adding: today)')
    .option('--currency <code>', 'ISO 4217 currency code (default when adding: that of the company)')
    .option('--type <type>', 'expense type name or ID')
    .option('--project <project>', 'project name or ID')
    .option('-n, --notes <text>', 'notes')
    .option('--external-id <id>', 'ID of the expense in another system')
    .option('--field <key=value>', 'set any other field (KEY:=JSON for non-text; repeatable)', collect)
}
