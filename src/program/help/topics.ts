import { commonOptions, helpFlags, versionOption } from '../../cli/common-options.js'
import { acceptedForms } from '../../lib/calendar/calendar-names.js'
import { type ErrorCode, exitStatus } from '../../lib/errors.js'
import { formatDescriptions } from '../../ui/formats/formats.js'
import { promptSnippets } from './prompt-snippets.js'

/** A term and what it means. */
export type Row = readonly [term: string, meaning: string]

/** A paragraph, a list of terms, or literal lines. Backticks mark code in paragraphs and terms. */
export type Part = string | { rows: readonly Row[] } | { lines: readonly string[] }

/** A topic of `tt help NAME`, which is also a section of the man page. */
export interface Topic {
  name: string
  /** Further words of `tt help WORD` that lead to the topic. */
  aliases?: readonly string[]
  /** One line for the list of topics. */
  summary: string
  parts: readonly Part[]
}

const failures: Record<ErrorCode, string> = {
  failure: 'an internal or local error, or a declined prompt',
  usage: 'unknown option, invalid time, ambiguous task',
  not_found: 'no such entry, expense or profile; no running timer',
  unauthenticated:
    'not signed in, or the sign-in has expired. With an expired sign-in, a change is saved locally and exits 0',
  insufficient_scope: 'the token lacks a required scope',
  unreachable: 'the service cannot be reached, and the command does not work offline',
  rejected: 'the service rejected the request, or its response is invalid',
  interrupted: 'Ctrl-C, also at a prompt',
}

const exitCodes: Topic = {
  name: 'exit-codes',
  summary: 'exit codes and errors',
  parts: [
    {
      rows: [
        ['0', 'success, or saved locally to be sent later'],
        ...Object.entries(failures).map(
          ([code, meaning]): Row => [String(exitStatus[code as ErrorCode]), `\`${code}\`: ${meaning}`],
        ),
      ],
    },
    'An empty list is a success, and so is `tt status` without a running timer. `tt doctor` exits 1 when a check fails.',
    'An error message on standard error says what happened and what to do next. With `--json` it is one object: `{"error":{"code":…,"message":…,"hint":…,"status":…}}`; `status` is the HTTP status of the response, if there was one.',
  ],
}

const environment: Topic = {
  name: 'environment',
  summary: 'environment variables',
  parts: [
    'Order of precedence: option, environment variable, directory file (`.tt.json`, see `tt help files`), setting (`tt config`), default.',
    {
      rows: [
        [
          'TT_HOME',
          'one directory for all files of tt except the code cache (default: the XDG base directories, or their equivalents on macOS and Windows)',
        ],
        ['TT_PROFILE', 'use this profile, as with `--profile`'],
        ['TT_BASE_URL, TT_TOKEN', 'use this service with this token, without a profile or keychain'],
        [
          'TT_AUTH_URL, TT_CLIENT_ID, TT_CLIENT_SECRET',
          'URL of the OAuth server, client ID and client secret for `tt login`',
        ],
        ['TT_HOOKS', '`0` disables hooks, see `tt help hooks`'],
        ['TT_SEND', '`auto` or `wait`, instead of the setting `send`'],
        ['BROWSER', 'command that opens the browser (`none` for no browser)'],
        ['CHROME_PATH', 'Chromium or Chrome for PDF reports'],
        ['VISUAL, EDITOR', 'editor for `tt edit`'],
        ['TT_PAGER, PAGER', 'pager for long output (empty or `cat` for no pager)'],
        ['TZ', 'time zone (default: the time zone of the system)'],
        [
          'NO_COLOR, FORCE_COLOR, CLICOLOR, CLICOLOR_FORCE',
          'disable colour, or enable it without a terminal',
        ],
        ['FORCE_HYPERLINK', '`0` disables hyperlinks, any other value enables them'],
        ['LC_ALL, LC_CTYPE, LANG', 'locale; charts use ASCII unless the encoding is UTF-8'],
        [
          'XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME',
          'base directories, see `tt help files`',
        ],
      ],
    },
  ],
}

const formsOf = (kind: keyof typeof acceptedForms) =>
  acceptedForms[kind].map((form) => `\`${form}\``).join(', ')

const options: Topic = {
  name: 'options',
  summary: 'the options of every command',
  parts: [
    'Accepted by every command, and before it:',
    { rows: [...Object.entries(commonOptions), versionOption, [helpFlags, 'show help for tt or a command']] },
    'Commands that print records also take `--ndjson`, `--csv`, `--markdown`, `--fields` and `--raw`, see `tt help output`.',
  ],
}

const time: Topic = {
  name: 'time',
  summary: 'formats of TIME, DURATION, DATE and PERIOD',
  parts: [
    {
      rows: [
        [
          'TIME',
          `${formsOf('time')}, or RFC 3339. A time without a date is on the current day, or on the day of the edited entry.`,
        ],
        ['DURATION', formsOf('duration')],
        [
          'DATE',
          `${formsOf('date')}. For several days such as \`may\`, \`--since\` uses the first one and \`--until\` the last one. A weekday, month or quarter without a year is the most recent one.`,
        ],
        [
          'PERIOD',
          'a DATE, two of them as `monday..wednesday`, or `all`. `7d` is the last seven days. Words may be joined with hyphens: `last-week`, `next-month`.',
        ],
      ],
    },
    'Times are in your time zone. A time that is skipped when daylight saving begins is an error. If a time occurs twice when daylight saving ends, tt uses the first; add the UTC offset to specify the second. Weeks start on the day in the setting `week_start`.',
    'Quote values of options that contain spaces: `--at "yesterday 17:00"`. A time, duration or date followed by other text is an error.',
  ],
}

const names: Topic = {
  name: 'names',
  summary: 'how to specify a TASK or an ENTRY',
  parts: [
    {
      rows: [
        [
          'TASK',
          'a task of a project: its ID (`12`), or its name as `Task`, `Project/Task` or `Client/Project/Task`. The beginning of a name, or of a word in it, is enough. Case and accents do not matter.',
        ],
        [
          'ENTRY',
          'its ID, `@` for the running entry, `@1` for the last finished one, `@2` for the one before it. An entry that has not been sent to the service yet has a local ID such as `~3`, which remains valid afterwards.',
        ],
      ],
    },
    'The name of a project alone means its task of the setting `default_task` (General), else its only task. If several tasks match, tt prompts for one in a terminal and fails otherwise: type to filter the list, or press 1 to 9. Its last row, to which ↓ leads, creates what was typed.',
    'In the local workspace, tt creates a missing `Project`, `Project/Task`, `Client/Project/Task`, or, for a client that exists, `Client/Project`. If a name is probably a typo of an existing one, it prompts first. A script gets a warning with the command that merges the two, or for a project alone an error. `--create` creates without a prompt or warning.',
  ],
}

const output: Topic = {
  name: 'output',
  summary: 'output formats, stdout and stderr',
  parts: [
    'Data goes to standard output, messages go to standard error. On a terminal a list is a table; otherwise it is TSV without header, colour or truncation. Within a value, control characters and backslash are escaped: `\\t`, `\\n`, `\\r`, `\\\\`, `\\x1b`.',
    {
      rows: [
        [
          '--json',
          'one JSON value, coloured on a terminal: an empty list is `[]`, no running timer is `null`. Later versions may add keys but never remove one.',
        ],
        [
          '--jq EXPRESSION',
          'filter the JSON with a jq expression (https://jqlang.org/manual/), as with `jq -r`: each result on a line, strings without quotes, arrays and objects indented and coloured on a terminal. Implies `--json`; with `--ndjson` the expression is evaluated for each record. jq is part of tt (version 1.8.2, without modules and `%Z` in `strftime` and `strflocaltime`). An invalid expression is reported before the command runs; if the evaluation fails, the exit code is 1.',
        ],
        ...Object.entries(formatDescriptions).map(([name, description]): Row => [`--${name}`, description]),
        [
          '--raw',
          'with `--csv`, do not escape text that looks like a formula. By default, an apostrophe precedes text that begins with `=`, `+`, `-`, `@`, tab, carriage return or newline and is not a number, because a spreadsheet would run it.',
        ],
        ['--fields KEYS', 'print only these JSON keys, in this order (comma-separated)'],
        [
          '--template TEXT',
          'for `tt log` and `tt status`: print a line per entry. `{NAME}` stands for the value of a JSON key or for `day`, `weekday`, `from`, `to`, `duration` (in the format of the setting `duration_format`), `hours`, `label`; `{{` and `}}` print braces, `\\n` and `\\t` a newline and a tab.',
        ],
        ['--quiet', 'print only errors to standard error'],
      ],
    },
    'Times are RFC 3339 with UTC offset, durations are whole seconds, amounts are decimal strings.',
  ],
}

const reports: Topic = {
  name: 'reports',
  summary: 'how reports round, split and charge time',
  parts: [
    {
      rows: [
        [
          'Rounding',
          '`--round` rounds the duration of each entry once. If an entry crosses midnight or the start or end of the period, its rounded duration is divided between the parts, so the months of a quarter add up to the quarter.',
        ],
        [
          '--round-total',
          'rounds the sum of each innermost group instead. The rounded totals and amounts then depend on `--by`.',
        ],
        [
          'Amounts',
          'The amount of an entry is its hourly rate times its (rounded) duration. Every other amount is a sum of these, so the total is the same for every `--by`, and months add up to quarters. It can differ by cents from hours times rate; `--round` avoids that.',
        ],
        [
          'Durations',
          'Displayed minutes always add up. The setting `duration_format` is `1h 24m`, `1:24` or `1.40`, for all commands. If it is set, the CSV of reports has an additional column `duration`. `--hours` shows durations to the second, as h:mm:ss (`hms`), decimal hours or minutes. JSON has seconds.',
        ],
        [
          'Billable time',
          'time that the setting `billable` includes; without it, time with a client or a rate. Time whose rate is `none` is not billable. Only billable time has an amount. Reports show billable and non-billable time separately if a rate or the setting `billable` is set; JSON always does.',
        ],
      ],
    },
  ],
}

const billing: Topic = {
  name: 'billing',
  aliases: ['billable', 'rate', 'rates', 'invoices', 'money', 'sender', 'target', 'targets'],
  summary: 'rates, targets, reports for clients, expenses',
  parts: [
    {
      rows: [
        [
          'Rates',
          '`tt config set rate 80EUR` for all time, `tt config set rate.Acme/Website 95EUR` for a project. Reports then have amounts.',
        ],
        ['Billable time', 'time with a client or a rate; `tt config set billable Acme` for other rules'],
        [
          'Target',
          '`tt config set target.weekly 40h`; `tt`, `tt status` and `tt report month` show how far ahead or behind you are.',
        ],
        ['Sender', "`tt config set sender 'Ada Lovelace\\nLondon'` for the header of reports"],
        [
          'Report',
          '`tt report last month --client Acme -o report.html` writes a page for the client; `.pdf` and `.csv` work too.',
        ],
        [
          'Expenses',
          '`tt expenses add 84 --type Travel --project Website`; totals: `tt expenses report --by project`',
        ],
      ],
    },
    'See `tt help reports` for rounding, and `tt config list` for all settings.',
  ],
}

const files: Topic = {
  name: 'files',
  summary: 'where tt stores its files',
  parts: [
    'With `TT_HOME` set, all files except the code cache are in that directory. Otherwise, on Linux:',
    {
      rows: [
        ['~/.config/tt/config.json', 'settings (`tt config path` prints the path)'],
        ['~/.config/tt/hooks/', 'programs that tt runs after changes, see `tt help hooks`'],
        ['~/.config/tt/aliases.json', 'aliases of `tt alias`'],
        ['~/.config/tt/profiles.json', 'profiles of `tt login`; their secrets are in the keychain'],
        ['~/.config/tt/invoice-numbers.json', 'invoice numbers that were taken, in all profiles'],
        [
          '~/.local/share/tt/workspace.db',
          'the local workspace with its invoices and the history of `tt undo`, a SQLite database; copy it with `tt backup`',
        ],
        [
          '~/.local/state/tt/profiles/',
          'for each account of a service: invoices, pending changes, cached data and the history of `tt undo`',
        ],
        [
          '~/.local/state/tt/timer',
          'one line with the running timer for shell prompts, see `tt help prompts`',
        ],
        [
          '~/.local/state/tt/timer.written',
          'hashes of these lines: tt replaces and removes only what it wrote',
        ],
        ['~/.cache/tt/', 'code cache: compiled code of tt (safe to remove)'],
        [
          '.tt.json',
          'directory file, in the working directory or one of its parents: `profile`, `task` and `notes` for that directory and everything below it',
        ],
      ],
    },
    '`XDG_CONFIG_HOME`, `XDG_DATA_HOME`, `XDG_STATE_HOME` and `XDG_CACHE_HOME` replace the base directories. On macOS the files are in `~/Library/Application Support/tt` and the code cache is in `~/Library/Caches/tt`. On Windows the files are in `%APPDATA%\\tt` and `%LOCALAPPDATA%\\tt`, and the code cache is in `%LOCALAPPDATA%\\Temp\\tt`.',
  ],
}

const prompts: Topic = {
  name: 'prompts',
  summary: 'how to show the running timer in bash, zsh, starship and tmux',
  parts: [
    '`tt status --cached --template TEXT` prints the running timer as one line, or nothing if no timer is running. It never connects to the service.',
    'To avoid starting a process for each prompt, read the prompt file. Whenever the timer changes, tt writes it to that file as one line, such as "Acme / Website / Design since 09:30". `tt config path --prompt` prints the path of the file; the setting `prompt_file` changes or disables it; a file that tt did not write is never replaced or removed. The line ends with "(see tt sync)" when a change could not be sent or was rejected. At the end of `~/.bashrc`:',
    { lines: promptSnippets.bash },
    'At the end of `~/.zshrc`:',
    { lines: promptSnippets.zsh },
    'In `~/.config/starship.toml`:',
    { lines: promptSnippets.starship },
    'In `~/.tmux.conf`:',
    { lines: promptSnippets.tmux },
    'Keep the quotes: they prevent the shell from interpreting characters in the notes.',
  ],
}

const hooks: Topic = {
  name: 'hooks',
  summary: 'programs that tt runs when a timer or an entry changes',
  parts: [
    'Hooks are executables in the directory `hooks` beside the settings file (`tt config path`); on Windows their names end with `.exe`:',
    {
      rows: [
        ['on-start', 'when a timer starts'],
        [
          'on-stop',
          'when a timer stops, and its entry remains: not for `tt cancel`, nor for `tt undo` of a start',
        ],
        [
          'on-change',
          'for each entry that is created, changed or deleted, after `on-stop` and `on-start`. An import, undoing it, and a change of more than 100 entries call it once',
        ],
      ],
    },
    'A hook runs after the change is stored and the output is printed, also offline; sending the change later runs none. It receives one JSON object on standard input: the entry as with `--json` (a deleted entry as it was), and:',
    {
      rows: [
        ['operation', '`create`, `update` or `delete`; `batch` for several entries at once'],
        ['before, after', 'the entry before and after the change; null where it does not exist'],
        [
          'title, count',
          'only for `batch`, instead of the entry: a description, and the number of entries (null if unknown)',
        ],
      ],
    },
    'Its environment has its name in `TT_HOOK`, the profile in `TT_PROFILE` and `TT_HOOKS=0`, so that a `tt` that it runs uses the same profile and runs no hooks. Without a profile, `TT_BASE_URL` and `TT_TOKEN` are unchanged. Its working directory is that of tt.',
    'The first 4096 characters of its standard output and standard error each are messages of tt on standard error, which `--quiet` and `--json` suppress. A hook that fails is a warning with its exit code and the first line of its standard error; the command succeeds. Each hook has 2 s for all calls of a command; then its process group is ended, and the hook is not called again for that command. Child processes in the background continue if their hook ends in time.',
    'A hook is not run, with a warning, if it is not executable, if it or the directory belongs to another user, or if its group or others can write to it. `.tt.json` and repositories cannot define hooks. `--no-hooks` and `TT_HOOKS=0` disable them.',
    {
      lines: [
        '#!/bin/sh',
        '# ~/.config/tt/hooks/on-start: show the task in the title of the tmux window',
        'tmux rename-window "$(jq -r \'.task // "no task"\')"',
      ],
    },
  ],
}

/** Returns the topic with this name or alias. */
export function topicNamed(word: string): Topic | undefined {
  return topics.find(({ name, aliases }) => name === word || aliases?.includes(word))
}

export const topics: readonly Topic[] = [
  ...[options, time, names, reports, billing, output, exitCodes, environment, files, prompts, hooks],
]
