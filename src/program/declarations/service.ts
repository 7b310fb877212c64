import type { Command } from 'commander'
import { collect, command, databaseOption, examples, type LazyAction } from '../lazy-commands.js'

/** `tt api` and `tt serve`. */
export function declareService(program: Command, lazily: LazyAction) {
  command(program, 'api', 'send an API request', (command) =>
    command
      .argument('<method>', 'GET, POST, PATCH or DELETE')
      .argument('<path>', 'path relative to the base URL, such as /timesheets')
      .option(
        '-q, --query <field_matcher=value>',
        'filter with _eq, _gteq, _lt or _cont (repeatable)',
        collect,
      )
      .option(
        '-f, --field <key=value>',
        'field of the request body (KEY:=JSON for non-text; repeatable)',
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
      .action(lazily(() => import('../../commands/api.js'))),
  )
  command(program, 'serve', 'serve the API for a team', (command) =>
    command
      .option('--host <host>', 'address to listen on', '127.0.0.1')
      .option('--port <n>', 'port to listen on (0 for any free port)', '8320')
      .addOption(databaseOption())
      .option('--public-url <origin>', 'public origin of the service, such as https://time.example.com')
      .option('--trust-proxy', 'trust X-Forwarded-For of the reverse proxy in front, which must set it')
      .addHelpText('after', examples('tt serve', 'tt serve --port 0 --database sqlite:team.db --json'))
      .action(lazily(() => import('../../commands/serve.js'))),
  )
}
