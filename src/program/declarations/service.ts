import type { Command } from 'commander'
import { summaries } from '../command-list.js'
import { command, type LazyAction } from '../lazy-commands.js'
import { collect, databaseOption, examples } from '../shared-options.js'

/** Declares `tt api` and `tt serve`. */
export function declareService(program: Command, lazyAction: LazyAction) {
  command(program, 'api', summaries.api, (command) =>
    command
      .argument('<method>', 'HTTP method: GET, POST, PATCH, PUT or DELETE')
      .argument('<path>', 'path relative to the base URL, such as /timesheets')
      .option(
        '-q, --query <condition>',
        'filter by a field: FIELD_eq=VALUE, FIELD_gteq=VALUE (at least), FIELD_lt=VALUE (less than) or FIELD_cont=VALUE (contains) (repeatable)',
        collect,
      )
      .option(
        '-f, --field <key=value>',
        'field of the request body (repeatable; key:=JSON for a value that is not a string)',
        collect,
      )
      .addHelpText(
        'after',
        examples(
          'tt api GET /timesheets -q time_start_gteq=2024-05-01',
          'tt api PATCH /timesheets/12 -f notes="second page"',
          'tt api POST /expenses -f expense.amount=12.50 -f expense.spent_on=2024-05-01',
        ),
      )
      .action(lazyAction(() => import('../../commands/api.js'))),
  )
  command(program, 'serve', summaries.serve, (command) =>
    command
      .option('--host <host>', 'address to listen on', '127.0.0.1')
      .option('--port <n>', 'port to listen on (0 for any free port)', '8320')
      .addOption(databaseOption())
      .option(
        '--public-url <origin>',
        'public URL of the service without a path, such as https://time.example.com',
      )
      .option(
        '--trust-proxy',
        'trust X-Forwarded-For headers; use only behind a reverse proxy that sets them',
      )
      .addHelpText('after', examples('tt serve', 'tt serve --port 0 --database sqlite:team.db --json'))
      .action(lazyAction(() => import('../../commands/serve.js'))),
  )
}
