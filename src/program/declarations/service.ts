import { defineCommand } from '../../cli/declaration.js'
import { choice, conditions, fields, port, seconds, wholeNumber } from '../../cli/option-values.js'
import { summaries } from '../command-list.js'
import { issuer, publicUrl, trustedProxies } from '../options/service-values.js'
import { databaseOption, repeatable } from '../options/shared-options.js'

/** `tt api` and `tt serve`. */
export const commands = {
  api: defineCommand({
    summary: summaries.api,
    args: {
      '<method>': {
        description: 'HTTP method: GET, POST, PATCH, PUT or DELETE',
        parse: choice(['GET', 'POST', 'PATCH', 'PUT', 'DELETE']),
      },
      '<path>': 'path relative to the base URL, such as /timesheets',
    },
    options: {
      '-q, --query <condition>': {
        ...repeatable(
          'filter by a field: FIELD_eq=VALUE, FIELD_gteq=VALUE (at least), FIELD_lt=VALUE (less than) or FIELD_cont=VALUE (contains)',
        ),
        parse: conditions,
      },
      '-f, --field <key=value>': {
        ...repeatable('field of the request body; key:=JSON for a value that is not a string'),
        parse: fields,
      },
    },
    examples: [
      'tt api GET /timesheets -q time_start_gteq=2024-05-01',
      'tt api PATCH /timesheets/12 -f notes="second page"',
      'tt api POST /expenses -f expense.amount=12.50 -f expense.spent_on=2024-05-01',
    ],
    load: () => import('../../commands/api.js'),
  }),
  serve: defineCommand({
    summary: summaries.serve,
    options: {
      '--host <host>': { description: 'address to listen on', default: '127.0.0.1' },
      '--port <n>': {
        description: 'port to listen on (0 for any free port)',
        parse: port,
        default: '8320',
      },
      ...databaseOption,
      '--public-url <origin>': {
        description: 'public URL of the service without a path, such as https://time.example.com',
        parse: publicUrl,
      },
      '--trust-proxy [proxies]': {
        description:
          'trust X-Forwarded-For: number of reverse proxies in front (default: 1), or their addresses and networks, comma-separated',
        parse: trustedProxies,
        needs: '--public-url',
      },
      '--no-trust-proxy': 'ignore X-Forwarded-For',
      '--list-limit <n>': {
        description: 'records of a list without per_page; Link has the address of the rest',
        parse: wholeNumber({ least: 1 }),
        default: '100000',
      },
      '--metrics-port <n>': {
        description: 'serve /metrics on this port (default: no metrics)',
        parse: port,
      },
      '--metrics-host <host>': {
        description: 'address that --metrics-port listens on',
        default: '127.0.0.1',
      },
      '--log-format <format>': {
        description: 'format of the log on stderr: text or json',
        parse: choice(['text', 'json']),
        default: 'text',
      },
      '--log-level <level>': {
        description: 'log messages of this level and above: debug, info, warn, error or silent',
        parse: choice(['debug', 'info', 'warn', 'error', 'silent']),
        default: 'info',
      },
      '--audit-days <n>': {
        description: 'days for which the audit log keeps changes of entries and expenses',
        parse: wholeNumber({ least: 1 }),
        default: '400',
      },
      '--drain <seconds>': {
        description: 'after SIGTERM, serve this much longer while /readyz returns 503',
        parse: seconds({ most: 3600 }),
        default: '0',
      },
    },
    optionGroups: {
      'Sign-in with OpenID Connect': {
        '--oidc-issuer <url>': {
          description: 'provider where users can sign in, such as https://login.example.com',
          parse: issuer,
          needs: '--oidc-client-id',
        },
        '--oidc-client-id <id>': {
          description: 'client ID of this service at the provider',
          needs: '--oidc-issuer',
        },
        '--oidc-client-secret <secret>': {
          description:
            'client secret of this service at the provider; better as TT_OIDC_CLIENT_SECRET or in the file of --config',
          needs: '--oidc-issuer',
        },
        '--oidc-name <name>': {
          description: 'name of the provider on the sign-in page (default: its host)',
          needs: '--oidc-issuer',
        },
      },
      Database: {
        '--pool-size <n>': {
          description: 'connections to PostgreSQL at most',
          parse: wholeNumber({ least: 1 }),
          default: '10',
        },
        '--connection-timeout <seconds>': {
          description: 'time to wait for a connection to PostgreSQL',
          parse: seconds({ least: 0.1 }),
          default: '3',
        },
        '--statement-timeout <seconds>': {
          description: 'time limit of a statement in PostgreSQL, locks included (0 for none)',
          parse: seconds(),
          default: '5',
        },
        '--idle-transaction-timeout <seconds>': {
          description: 'time limit between statements of a transaction in PostgreSQL (0 for none)',
          parse: seconds(),
          default: '10',
        },
        '--keepalive <seconds>': {
          description: 'time after which TCP checks an idle connection to PostgreSQL',
          parse: seconds({ least: 1 }),
          default: '10',
        },
        '--prepared-statements': 'prepare statements; only without a connection pooler such as PgBouncer',
        '--lock-timeout <seconds>': {
          description: 'time to wait for a locked SQLite file',
          parse: seconds(),
          default: '2',
        },
      },
    },
    notes: [
      'Each option can also be set by an environment variable, TT_PUBLIC_URL for --public-url, or in the JSON file of --config: {"public-url": "https://time.example.com", "port": 8320}. Order of precedence: option, environment variable, file, default. So no password of a database is visible in the list of processes.',
    ],
    examples: [
      'tt serve',
      'tt serve --config /etc/tt.json',
      'tt serve --port 0 --database sqlite:team.db --json',
      'tt serve --database sqlite:team.db --public-url https://time.example.com --trust-proxy 1 --log-format json',
    ],
    load: () => import('../../commands/serve.js'),
  }),
}
