import { commandsIn, defineCommand, defineGroup } from '../../cli/declaration.js'
import { choice, day, lastDay, wholeNumber, wordOr } from '../../cli/option-values.js'
import { encodings } from '../../import-export/import/source/encodings.js'
import { alternatives } from '../../lib/text/words.js'
import { teamDimensions } from '../../records/report-names.js'
import { summaries } from '../command-list.js'
import { entryFilters } from '../options/entry-filters.js'
import { groupingOptions, reportOutputs } from '../options/report-options.js'
import { publicUrl } from '../options/service-values.js'
import {
  databaseOption,
  dayOptions,
  nameFilter,
  periodArgument,
  periodOptions,
} from '../options/shared-options.js'
import { appCommands, emailArgument, tokenCommands, userCommands } from './admin-access.js'
import { catalogCommands } from './catalog.js'

const assignment = commandsIn(() => import('../../commands/admin/assignment.js'))

const projectsArgument = { '<project...>': 'projects, as Project or Client/Project' } as const
const changes = catalogCommands('database')

const catalogGroups = {
  projects: defineGroup({
    summary: 'manage projects',
    commands: {
      list: defineCommand({
        summary: 'list projects',
        options: databaseOption,
        hasFormats: true,
        examples: ['tt admin projects list', 'tt admin projects list --csv --database sqlite:team.db'],
        load: async () => (await import('../../commands/catalog/operations.js')).catalogList('projects'),
      }),
      ...changes.projects,
    },
  }),
  clients: defineGroup({
    summary: 'manage clients',
    commands: {
      list: defineCommand({
        summary: 'list clients',
        options: databaseOption,
        hasFormats: true,
        examples: ['tt admin clients list', 'tt admin clients list --json --database sqlite:team.db'],
        load: async () => (await import('../../commands/catalog/operations.js')).catalogList('clients'),
      }),
      ...changes.clients,
    },
  }),
  tasks: defineGroup({
    summary: 'manage tasks of projects',
    commands: {
      list: defineCommand({
        summary: 'list tasks with their projects',
        options: databaseOption,
        hasFormats: true,
        examples: ['tt admin tasks list', 'tt admin tasks list --json --database sqlite:team.db'],
        load: async () => (await import('../../commands/catalog/operations.js')).catalogList('tasks'),
      }),
      ...changes.tasks,
    },
  }),
  'expense-types': defineGroup({
    summary: 'manage expense types',
    commands: {
      list: defineCommand({
        summary: 'list expense types',
        options: databaseOption,
        hasFormats: true,
        examples: ['tt admin expense-types list', 'tt admin expense-types list --database sqlite:team.db'],
        load: async () => (await import('../../commands/catalog/operations.js')).catalogList('expenseTypes'),
      }),
      ...changes.expenseTypes,
    },
  }),
}

/** Administrators see what the service has stored. */
const { '--pending': _, ...teamFilters } = entryFilters
const report = defineCommand({
  summary: 'report the time of all users',
  args: periodArgument('last 7 days'),
  optionGroups: {
    Filters: {
      ...periodOptions,
      '--user <user>': nameFilter('filter by user name, email address or ID'),
      ...teamFilters,
    },
    Grouping: groupingOptions(teamDimensions, 'user,project'),
    Output: reportOutputs,
    Database: databaseOption,
  },
  hasFormats: true,
  notes: [
    'The report follows the rules of `tt report`, with the rates, billable projects and formats in the settings of the administrator. Targets and problems in the entries are those of single users and not part of it.',
    'The service stores no time zones of users. Days are those of the time zone of this machine (TZ); a warning names that of the company if it differs.',
  ],
  examples: [
    'tt admin report last month',
    'tt admin report last month --by user,project --round 15m --csv',
    'tt admin report week --by project,user --client Acme -o report.html --database sqlite:team.db',
    'tt admin report 2024 --by user,month --grid',
  ],
  load: () => import('../../commands/admin/report.js'),
})

const importUsers = defineCommand({
  summary: 'add users and their assignments from a CSV file',
  args: { '<file>': 'CSV file with a header; - for standard input' },
  options: {
    '--dry-run': 'print what would be imported; change nothing',
    '--passwords <file>':
      'generate passwords for new users without one, and write them to this new file (- for the output)',
    '--tokens <file>':
      'create a bearer token for each new user, and write them to this new file (- for the output)',
    '--encoding <encoding>': {
      description: `encoding of a file without a byte order mark: ${alternatives(encodings)}`,
      parse: choice(encodings),
    },
    ...databaseOption,
  },
  hasFormats: true,
  notes: [
    'Columns, in any order and case: Email (required), Name or First name and Last name, Projects (Project or Client/Project, separated by semicolons or line breaks), From and Until (days of the assignments, YYYY-MM-DD), Password. Other columns are ignored with a warning. Commas, semicolons and tabs separate fields.',
    'All lines are imported, or none: every line that cannot be imported is listed with the reason. Existing users keep their name, password and state, and get only projects to which they were never assigned, so that a repeated import changes nothing.',
    'Without --passwords, --tokens and a password in the file, users sign in with OpenID Connect, or get a password with `tt admin user password`.',
  ],
  examples: [
    'tt admin import-users users.csv --dry-run',
    'tt admin import-users users.csv --passwords initial-passwords.csv --database sqlite:team.db',
    'tt admin import-users - --json < users.csv',
  ],
  load: () => import('../../commands/admin/import-users.js'),
})

/** `tt admin`. */
export const commands = {
  admin: defineGroup({
    summary: summaries.admin,
    commands: {
      user: defineGroup({ summary: 'manage users', commands: userCommands }),
      token: defineGroup({ summary: 'manage tokens and authorized applications', commands: tokenCommands }),
      app: defineGroup({ summary: 'manage OAuth applications', commands: appCommands }),
      ...catalogGroups,
      assign: defineCommand({
        summary: 'assign a user to projects',
        args: { ...emailArgument, ...projectsArgument },
        options: {
          '--from <date>': { description: 'first day of the assignments', parse: day },
          '--until <date>': { description: 'last day of the assignments', parse: day },
          ...databaseOption,
        },
        notes: [
          'Assignments limit what users see and track only with `tt admin company --visibility assigned`.',
        ],
        examples: [
          'tt admin assign ada@example.com Acme/Website Internal',
          'tt admin assign ada@example.com Acme/Website --from 2024-05-01 --until 2024-06-30',
        ],
        load: assignment('assign'),
      }),
      unassign: defineCommand({
        summary: 'end the assignments of a user to projects',
        args: { ...emailArgument, ...projectsArgument },
        options: {
          '--until <date>': { description: 'last day of the assignments', parse: day, default: 'today' },
          ...databaseOption,
        },
        examples: [
          'tt admin unassign ada@example.com Acme/Website',
          'tt admin unassign ada@example.com Acme/Website Internal --until 2024-06-30',
        ],
        load: assignment('unassign'),
      }),
      assignments: defineCommand({
        summary: 'list the assignments of all users, or of one',
        args: { '[email]': 'email address of the user' },
        options: databaseOption,
        hasFormats: true,
        examples: ['tt admin assignments', 'tt admin assignments ada@example.com --json'],
        load: assignment('list'),
      }),
      'import-users': importUsers,
      report,
      company: defineCommand({
        summary: 'show or edit the company',
        options: {
          '--name <name>': 'company name',
          '--currency <code>': 'ISO 4217 currency code',
          '--time-zone <zone>':
            'IANA time zone in which dates in filters are interpreted, such as Europe/Zurich',
          '--visibility <open|assigned>': {
            description:
              'projects that users see and track time on: all, or only those assigned to them (default: open)',
            parse: choice(['open', 'assigned']),
          },
          '--closed-until <date>': {
            description:
              'make entries and expenses read-only up to and including this date ("none" to reopen)',
            parse: wordOr('none', day),
          },
          '--legacy-keys <on|off>': {
            description: 'whether the service issues and accepts legacy API keys (default: on)',
            parse: choice(['on', 'off']),
          },
          '--legacy-key-days <n>': {
            description: 'days after which legacy API keys expire ("unlimited" for no limit, the default)',
            parse: wordOr(
              'unlimited',
              wholeNumber({
                least: 1,
                most: 99_999,
                hint: 'Write "unlimited" for no limit. Use --legacy-keys off to disable legacy keys.',
              }),
            ),
          },
          ...databaseOption,
        },
        examples: [
          'tt admin company',
          'tt admin company --name Acme --currency CHF --time-zone Europe/Zurich',
          'tt admin company --closed-until 2024-04-30',
        ],
        notes: [
          'An entry belongs to the day of its start, in the time zone of the company. Entries and expenses of the closed period cannot be added, changed or deleted. Renaming and merging projects and tasks, and removing users, stays possible.',
        ],
        load: () => import('../../commands/admin/company.js'),
      }),
      audit: defineCommand({
        summary: 'show the audit log: sign-ins, tokens and admin commands, or changes of entries',
        options: {
          '--entries': 'changes of entries and expenses, with the fields before and after them',
          ...dayOptions,
          '--user <email>': 'only those of this user',
          '--event <event>': 'only this event, such as sign_in_failed or entry_deleted',
          '-n, --limit <n>': {
            description: 'the latest n records',
            parse: wholeNumber({ least: 1, most: 999_999 }),
            default: '100',
          },
          ...databaseOption,
        },
        hasFormats: true,
        examples: [
          'tt admin audit --since yesterday',
          'tt admin audit --event sign_in_failed --json',
          'tt admin audit --entries --user ada@example.com --event entry_deleted',
        ],
        load: () => import('../../commands/admin/audit.js'),
      }),
      backup: defineCommand({
        summary: 'save a complete copy of a SQLite database, which may be served',
        args: { '[file]': 'file or directory (default: NAME-backup-DATE-TIME.db in the current directory)' },
        options: databaseOption,
        notes: ['The copy contains hashes of passwords and tokens. For a PostgreSQL database, use pg_dump.'],
        examples: [
          'tt admin backup --database sqlite:team.db',
          'tt admin backup ~/backups --database sqlite:team.db --json',
        ],
        load: () => import('../../commands/admin/backup.js'),
      }),
      openapi: defineCommand({
        summary: 'print the OpenAPI document of the service',
        options: {
          '--public-url <url>': {
            description: 'address of the service (default: relative addresses)',
            parse: publicUrl,
          },
        },
        examples: [
          'tt admin openapi > openapi.json',
          'tt admin openapi --public-url https://time.example.com | jq .paths',
        ],
        load: () => import('../../commands/admin/openapi.js'),
      }),
      seed: defineCommand({
        summary: 'add sample entries to the database',
        options: {
          '--entries <n>': {
            description: 'number of entries',
            parse: wholeNumber({ most: 3_000_000 }),
            default: '1000',
          },
          '--random <n>': {
            description: 'seed of the random number generator; the same seed adds the same entries',
            parse: wholeNumber(),
            default: '1',
          },
          '--until <date>': { description: 'date of the last entry', parse: lastDay, default: 'today' },
          '--user <email>': 'owner of the entries (default: the first user)',
          ...databaseOption,
        },
        examples: [
          'tt admin seed --entries 1000 --user ada@example.com --database sqlite:team.db',
          'tt admin seed --entries 100 --random 7 --until yesterday',
        ],
        load: () => import('../../commands/admin/seed.js'),
      }),
    },
    examples: [
      'tt admin projects add Acme/Shop',
      'tt admin user add ada@example.com --password-stdin --database sqlite:team.db < password.txt',
      'tt admin app list --database sqlite:team.db',
    ],
  }),
}
