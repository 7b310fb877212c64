import type { DurationDisplay } from '../lib/calendar/duration-display.js'
import { formatExactTime } from '../lib/calendar/time.js'
import type { EntryFix, NextStep } from '../lib/next-step.js'
import { quoteWord } from '../lib/text/shell-quoting.js'
import type { Finding } from '../report/health/findings.js'

type FixStep = Extract<NextStep, { action: 'fix_entries' }>

/** Without prompts: declining one halfway through a chain of commands would leave it unfinished. */
const yes = ' --yes'

/** The commands that resolve a finding. */
export interface FixCommands {
  /** A command line for a POSIX shell; the user replaces TASK, TIME and TEXT in it. The name is a JSON key. */
  mend: string
  /** Another command line, which removes tracked time: a comment at its end says how much. */
  alternative?: string
}

/** Returns the fixes of a finding as what the user can do about it. */
export function fixStep(
  { fixes, alternative }: Pick<Finding, 'fixes' | 'alternative'>,
  durations: DurationDisplay,
): FixStep {
  if (!alternative) return { action: 'fix_entries', fixes }
  const { fix, removedSeconds } = alternative
  return { action: 'fix_entries', fixes, alternative: { fix, removed: durations.format(removedSeconds) } }
}

/** Returns the command lines for fixes. */
export function fixCommands({ fixes, alternative }: Omit<FixStep, 'action'>): FixCommands {
  const mend = fixes.map((fix) => commandFor(fix, fixes.length > 1)).join(' && ')
  if (!alternative) return { mend }
  const { fix, removed } = alternative
  return { mend, alternative: `${commandFor(fix)} # removes ${removed} from entry ${fix.id}` }
}

function commandFor(fix: EntryFix, isStep = false): string {
  switch (fix.action) {
    case 'add':
      return addCommand(fix, isStep)
    case 'edit':
      return recordCommand('tt edit', fix.id, editOptions(fix), quoteWord)
    case 'split':
      return recordCommand('tt split', fix.id, ` --at ${quoteTime(fix.at)}`, quoteWord)
    case 'remove':
      return recordCommand('tt rm', fix.id, yes, quoteWord)
  }
}

function addCommand(
  { linkId, from, to, notes }: Extract<EntryFix, { action: 'add' }>,
  isStep: boolean,
): string {
  const task = linkId === undefined || linkId === null ? 'TASK' : quoteWord(String(linkId))
  const notesOption = notes === undefined ? '' : ` -n ${quoteWord(notes)}`
  return `tt add ${task}${isStep ? yes : ''} --from ${quoteTime(from)} --to ${quoteTime(to)}${notesOption}`
}

function editOptions({ from, to, notes, missing }: Extract<EntryFix, { action: 'edit' }>): string {
  return [
    from && ` --from ${quoteTime(from)}`,
    to && ` --to ${quoteTime(to)}`,
    notes !== undefined && ` --notes ${quoteWord(notes)}`,
    missing === 'to' && ' --to TIME',
    missing === 'notes' && ' --notes TEXT',
  ]
    .filter(Boolean)
    .join('')
}

function quoteTime(time: Date): string {
  return `"${formatExactTime(time)}"`
}

/**
 * Returns a command line about the record with that ID: `tt edit 7 --to 9:00`. An ID that begins with a hyphen follows
 * `--` at the end, so that it is not parsed as an option: `tt edit --to 9:00 -- -7`.
 *
 * @param options begins with a space, or is empty
 * @param quote quotes the ID for a shell
 */
export function recordCommand(
  command: string,
  id: string | number,
  options = '',
  quote: (text: string) => string = String,
): string {
  const text = quote(String(id))
  return String(id).startsWith('-') ? `${command}${options} -- ${text}` : `${command} ${text}${options}`
}
