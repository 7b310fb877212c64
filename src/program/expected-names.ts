/** Names of commands and options that users type, and that tt lacks. Only errors load them. */

const entryTimeOptions = { '--start': 'Use `--from` instead.', '--end': 'Use `--to` instead.' }
const startTimeOptions = { '--start': 'Use `--at` instead.', '--from': 'Use `--at` instead.' }
const periodBoundOptions = {
  '--start': 'Use `--since` instead.',
  '--from': 'Use `--since` instead.',
  '--end': 'Use `--until` instead.',
  '--to': 'Use `--until` instead.',
}

/** Options of other commands or time trackers that a command lacks, by the command, and what to use instead. */
export const equivalentOptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tt start': startTimeOptions,
  'tt continue': startTimeOptions,
  'tt stop': { '--end': 'Use `--at` instead.', '--to': 'Use `--at` instead.' },
  'tt add': entryTimeOptions,
  'tt edit': entryTimeOptions,
  'tt log': periodBoundOptions,
  'tt report': periodBoundOptions,
  'tt check': periodBoundOptions,
  'tt timesheet': periodBoundOptions,
  'tt export': {
    ...periodBoundOptions,
    '--csv': 'Use `--format csv` instead.',
    '--ical': 'Use `--format ical` instead.',
    '--markdown': 'Use `--format csv`, or `tt log --markdown`.',
    '--template': 'Use `--format csv`, or `tt log --template`.',
    '--fields': 'Use `--format csv` for all fields, or `tt log --csv --fields` to choose them.',
  },
  'tt tags list': periodBoundOptions,
  'tt expenses list': periodBoundOptions,
  'tt expenses report': periodBoundOptions,
  'tt admin report': periodBoundOptions,
}

/** What replaces the removed options for periods; COMMAND is the typed command. */
const removedPeriodOptions = Object.fromEntries(
  ['today', 'yesterday', 'week', 'month', 'quarter', 'year'].map((period) => [
    `--${period}`,
    `Use \`COMMAND ${period}\`.`,
  ]),
)

/** What replaces the removed options of reports. The key "--html=" is the option with a value. */
const removedPageOptions = {
  '--html=': 'Use `COMMAND -o FILE.html`.',
  '--pdf': 'Use `COMMAND -o FILE.pdf`.',
  '--groups': 'The page lists as many groups as fit; `COMMAND --csv` lists all.',
}

/** Removed options by the command, and what replaces each; COMMAND is the typed command. */
export const removedOptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tt log': { ...removedPeriodOptions, '--ical': 'Use `COMMAND -o FILE.ics`, or `tt export --format ical`.' },
  'tt report': {
    ...removedPeriodOptions,
    ...removedPageOptions,
    ...Object.fromEntries(
      ['--gaps', '--overlaps', '--long', '--without-notes', '--git'].map((option) => [
        option,
        `Use \`tt check ${option}\`.`,
      ]),
    ),
  },
  'tt timesheet': removedPeriodOptions,
  'tt export': removedPeriodOptions,
  'tt tags list': removedPeriodOptions,
  'tt expenses list': removedPeriodOptions,
  'tt expenses report': removedPeriodOptions,
  'tt admin report': { ...removedPeriodOptions, ...removedPageOptions },
}

/** Names that users expect, such as commands of other time trackers, and the equivalent command of tt. */
export const equivalentCommands: Readonly<Record<string, string>> = {
  ls: 'tt log',
  list: 'tt log',
  links: 'tt tasks',
  resume: 'tt continue',
  pause: 'tt stop',
  end: 'tt stop',
  delete: 'tt rm',
  remove: 'tt rm',
  switch: 'tt start',
  track: 'tt add',
  note: 'tt edit --append-notes TEXT',
  summary: 'tt report',
  day: 'tt report today',
  today: 'tt report today',
  yesterday: 'tt report yesterday',
  week: 'tt report week',
  month: 'tt report month',
  balance: 'tt report month',
  gaps: 'tt check --gaps',
  overlaps: 'tt check --overlaps',
  merge: 'tt projects merge',
  rename: 'tt projects rename',
  archive: 'tt projects archive',
  settings: 'tt config',
  target: 'tt config set target.weekly 40h',
  rate: 'tt config set rate 80EUR',
}
