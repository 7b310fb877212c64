import { type ErrorCode, exitStatus } from '../errors.js'

/** A term and what it means. */
export type Row = readonly [term: string, meaning: string]

/** A paragraph, terms with their meanings, or lines that stand as they are. Code in words is between backticks. */
export type Part = string | { rows: readonly Row[] } | { lines: readonly string[] }

/** What `tt help NAME` shows, and the manual has as a section. */
export interface Topic {
  name: string
  /** What it is about, in a line. */
  summary: string
  parts: readonly Part[]
}

const failures: Record<ErrorCode, string> = {
  failure: 'an internal or local error, or a declined prompt',
  usage: 'an unknown option, an unreadable time, an ambiguous task',
  not_found: 'no such entry, expense, profile; no timer is running',
  unauthenticated: 'not signed in, or the sign-in has expired and the command only reads',
  insufficient_scope: 'the token lacks the scope for this',
  unreachable: 'the service cannot be reached, and nothing could be kept for later',
  rejected: 'the service refused the request, or its answer makes no sense',
  interrupted: 'Ctrl-C, at a question too',
}

const exitCodes: Topic = {
  name: 'exit-codes',
  summary: 'what the exit status says',
  parts: [
    {
      rows: [
        ['0', 'done, or kept on this machine for later delivery'],
        ...Object.entries(failures).map(
          ([code, meaning]): Row => [String(exitStatus[code as ErrorCode]), `\`${code}\`: ${meaning}`],
        ),
      ],
    },
    'An empty list, and no running timer for `tt status`, are no failures: they end with 0. `tt doctor` ends with 1 when something is in trouble.',
    'An error is words on standard error, and what to do next. With `--json` it is one object there: `{"error":{"code":…,"message":…,"hint":…,"status":…}}`, in which `status` is that of HTTP, where a service answered.',
  ],
}

const environment: Topic = {
  name: 'environment',
  summary: 'the variables that tt reads',
  parts: [
    'An option goes before a variable, a variable before the directory file `.tt.json`, that before the settings of `tt config`, and those before the defaults.',
    {
      rows: [
        [
          'TT_HOME',
          'one directory for all that tt keeps; otherwise the XDG base directories, and what stands in their place on macOS and Windows',
        ],
        ['TT_PROFILE', 'like `--profile`'],
        [
          'TT_BASE_URL, TT_TOKEN',
          'use that service with that token: no profile, no keychain, nobody signs in',
        ],
        ['TT_AUTH_URL, TT_CLIENT_ID, TT_CLIENT_SECRET', 'answers for `tt login`'],
        ['BROWSER', 'the command that opens the browser; `none` opens none'],
        ['VISUAL, EDITOR', 'the editor of `tt edit`'],
        ['TT_PAGER, PAGER', 'the pager of long lists; empty or `cat` is none'],
        ['TZ', 'your time zone, where it is not that of the machine'],
        ['NO_COLOR, FORCE_COLOR, CLICOLOR, CLICOLOR_FORCE', 'no colour, or colour also where no terminal is'],
        ['FORCE_HYPERLINK', '`0` for no links at a terminal, another value for links at any'],
        [
          'LC_ALL, LC_CTYPE, LANG',
          'whether the terminal shows more than ASCII: charts are drawn accordingly',
        ],
        ['XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME', 'where files are kept: see `tt help files`'],
      ],
    },
  ],
}

const time: Topic = {
  name: 'time',
  summary: 'how to write a TIME, a DURATION and a DATE',
  parts: [
    {
      rows: [
        [
          'TIME',
          '`9:30`, `930`, `9am`, `noon`, `-15m`, `15m ago`, `yesterday 17:00`, `mon 9:00`, `2024-05-01 09:30`, or RFC 3339. A clock time alone means today, or the day of the entry that is being changed.',
        ],
        ['DURATION', '`1h30m`, `90m`, `1.5h`, `1:30`, `PT1H30M`'],
        [
          'DATE',
          '`2024-05-01`, `today`, `yesterday`, `monday`, `-7d`, `last week`, `may`, `last quarter`, `q2`, `2024-05`, `2024-Q2`, `2024-W18`, `2024`. `--since` takes its first day, `--until` its last.',
        ],
      ],
    },
    'Times are in your own time zone. One that the clocks skip is refused; one that they show twice is the first, and the second can be written with its offset. Weeks begin where the setting `week_start` says.',
    'What has a space in it goes between quotes: `--at "yesterday 17:00"`. What cannot be read whole is refused, and nothing is done.',
  ],
}

const names: Topic = {
  name: 'names',
  summary: 'how to name a TASK and an ENTRY',
  parts: [
    {
      rows: [
        [
          'TASK',
          'a project and task on which time can be tracked: its id (`12`), or words of `Client/Project/Task`. Case and accents do not matter; each part matches the beginning of a name or of a word in it.',
        ],
        [
          'ENTRY',
          'its id, `@` for the running one, `@1` for the last finished one, `@2` for the one before it. One that is not delivered yet has a local id such as `~3`, which stays good.',
        ],
      ],
    },
    'One match is taken. Of several you are asked at a terminal, and told elsewhere. In the local workspace, `Project/Task` or `Client/Project/Task` that is not like anything known is created; `--create` insists.',
  ],
}

const output: Topic = {
  name: 'output',
  summary: 'what is printed where, and in which format',
  parts: [
    'Standard output is data, standard error is words. At a terminal a list is a table; elsewhere it is TSV, without a heading, colour or anything shortened. Within a value, control characters and backslash are escaped: `\\t`, `\\n`, `\\r`, `\\\\`, `\\x1b`.',
    {
      rows: [
        [
          '--json',
          'one value: an empty list is `[]`, and no running timer is `null`. Keys are only ever added.',
        ],
        ['--ndjson', 'one JSON value a line'],
        ['--csv', 'CSV (RFC 4180) with a header'],
        ['--markdown', 'a table'],
        ['--fields KEYS', 'only these JSON keys, in this order, separated by commas'],
        [
          '--template TEXT',
          'for `tt log` and `tt status`: a line for each entry. `{key}` stands for a JSON key, or for `day`, `weekday`, `from`, `to`, `duration`, `hours`, `label`; `{{` and `}}` are braces, `\\n` and `\\t` newline and tab.',
        ],
        ['--quiet', 'no words on standard error but errors'],
      ],
    },
    'Times are RFC 3339 with offset, durations whole seconds, amounts decimal text.',
  ],
}

const files: Topic = {
  name: 'files',
  summary: 'where tt keeps what',
  parts: [
    'With `TT_HOME` all of it is in that one directory. Otherwise, on Linux:',
    {
      rows: [
        ['~/.config/tt/config.json', 'the settings of `tt config`; `tt config path` says where it is'],
        [
          '~/.config/tt/profiles.json',
          'the accounts of `tt login`, without their secrets, which are in the keychain',
        ],
        ['~/.local/share/tt/workspace.db', 'the local workspace, a SQLite database: what must be backed up'],
        [
          '~/.local/state/tt/profiles/',
          'for each profile what waits for the service, what it answered last, and the history of `tt undo`',
        ],
        ['~/.local/state/tt/timer', 'one line with what runs, for prompts; see `tt help prompts`'],
        ['~/.cache/tt/', 'compiled code of tt itself, for a quick start; safe to remove'],
        [
          '.tt.json',
          'in the working directory or above it: `profile`, `task` and `notes` for that tree. It chooses among your own profiles; an address or a token in it is never used. It is ignored, with a warning, unless it is a regular file of at most 64 KiB that belongs to you or root, and no directory above it is world-writable without the sticky bit.',
        ],
      ],
    },
    'The variables `XDG_CONFIG_HOME`, `XDG_DATA_HOME` and `XDG_STATE_HOME` name other directories for the first three. On macOS all is in `~/Library/Application Support/tt`, on Windows in `%APPDATA%\\tt` and `%LOCALAPPDATA%\\tt`.',
  ],
}

/** Lines for shells and their like that show what runs: the README has them too. */
export const promptSnippets = {
  bash: [
    'tt_timer() {',
    `  { read -r tt_line < "\${XDG_STATE_HOME:-$HOME/.local/state}/tt/timer"; } 2>/dev/null || tt_line=`,
    '}',
    `PROMPT_COMMAND="tt_timer\${PROMPT_COMMAND:+; $PROMPT_COMMAND}"`,
    `PS1='\${tt_line:+[$tt_line] }'"$PS1"`,
  ],
  zsh: [
    'tt_timer() {',
    `  { read -r tt_line < "\${XDG_STATE_HOME:-$HOME/.local/state}/tt/timer"; } 2>/dev/null || tt_line=`,
    '}',
    'precmd_functions+=(tt_timer)',
    'setopt prompt_subst',
    `PROMPT='\${tt_line:+[\${tt_line//\\%/%%}] }'"$PROMPT"`,
  ],
  tmux: [
    'set -g status-interval 30',
    'set -g status-right-length 60',
    `set -g status-right '#(tt status --cached -q --template "{label} {notes}" | sed "s/#/####/g") %H:%M'`,
  ],
  starship: [
    '[custom.tt]',
    `command = "tt status --cached -q --template '{label} {duration}'"`,
    'when = true',
    "format = '[$output]($style) '",
  ],
} as const

const prompts: Topic = {
  name: 'prompts',
  summary: 'what runs, in the prompt of bash, zsh, starship and tmux',
  parts: [
    '`tt status --cached --template TEXT` prints one line with what runs, and nothing without a timer. It never touches the network.',
    'Without any process: each change of the timer writes a file with one line, such as "Acme / Website / Design since 09:30". `tt config path --prompt` says where, the setting `prompt_file` moves it, or has none written. In `~/.bashrc`, at its end:',
    { lines: promptSnippets.bash },
    'In `~/.zshrc`:',
    { lines: promptSnippets.zsh },
    'In `~/.config/starship.toml`:',
    { lines: promptSnippets.starship },
    'In `~/.tmux.conf`:',
    { lines: promptSnippets.tmux },
    'The quotes matter: a shell must not read the line as a part of its own program.',
  ],
}

export const topics: readonly Topic[] = [time, names, output, exitCodes, environment, files, prompts]
