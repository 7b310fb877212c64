import type { TtError } from '../lib/errors.js'
import type { NextStep, SignInValue } from '../lib/next-step.js'
import { quoteWord } from '../lib/text/shell-quoting.js'
import { fixCommands, recordCommand } from './fix-command.js'

const listCommands: Record<Extract<NextStep, { action: 'list' }>['records'], string> = {
  entries: 'tt log',
  expenses: 'tt expenses',
  clients: 'tt clients',
  expense_types: 'tt expenses types',
  projects: 'tt projects',
  tasks: 'tt tasks',
  admin_applications: 'tt admin app list',
  admin_clients: 'tt admin clients list',
  admin_expense_types: 'tt admin expense-types list',
  admin_projects: 'tt admin projects list',
  admin_tasks: 'tt admin tasks list',
  admin_tokens: 'tt admin token list --all',
  admin_users: 'tt admin user list',
}

const recordNames: typeof listCommands = {
  entries: 'entries',
  expenses: 'expenses',
  clients: 'clients',
  expense_types: 'expense types',
  projects: 'projects',
  tasks: 'tasks',
  admin_applications: 'applications',
  admin_clients: 'clients',
  admin_expense_types: 'expense types',
  admin_projects: 'projects',
  admin_tasks: 'tasks',
  admin_tokens: 'tokens',
  admin_users: 'users',
}

const importOptionTexts: Record<Extract<NextStep, { action: 'set_import_option' }>['option'], string> = {
  format: 'Omit --format to detect the format, or choose another one.',
  columns: 'Name the columns, such as --columns start=From,end=Until,project=Job.',
  date_order: 'Add --date-order day-month or --date-order month-day.',
  encoding: 'If an older program wrote the file, add --encoding windows-1252.',
}

/** Marks a command line in a text. */
type MarkCommand = (line: string) => string

const inBackticks: MarkCommand = (line) => `\`${line}\``

/**
 * Returns the sentence that tells the user which command to run.
 *
 * @param code marks each command line; in backticks by default
 */
export function nextStepText(step: NextStep, code = inBackticks): string {
  switch (step.action) {
    case 'sync':
      if (step.wait) return `Run ${code('tt sync --wait')} to wait for that.`
      return `Run ${code('tt sync')} to send ${(step.count ?? 1) === 1 ? 'it' : 'them'}.`
    case 'list_changes':
      return `Run ${code('tt sync list')} to see the changes.`
    case 'resolve_change':
      return resolveText(step, code)
    case 'remove':
      return `Run ${code(recordCommand(step.kind === 'entry' ? 'tt rm' : 'tt expenses rm', step.id))} to remove it.`
    case 'resend_field':
      return step.date === undefined
        ? `If the service uses another name for the field, run ${code(editExpense(step.id, ' --field NAME=VALUE'))}.`
        : `Run ${code(editExpense(step.id, ` --on ${step.date}`))} to send the date again.`
    case 'list':
      return `${step.example === undefined ? '' : `Example: ${code(step.example)}. `}Run ${code(listCommands[step.records])} to list the ${recordNames[step.records]}.`
    case 'follow_example':
      return `For example: ${step.commands.join(', or ')}`
    case 'redo_undone':
      return `${code('tt redo')} redoes changes undone by ${code('tt undo')}, until the next change.`
    case 'stop_timer':
      return `Run ${code('tt stop')} to stop ${step.name}.`
    case 'correct_end':
      return `If it ended earlier, run ${code('tt edit @1 --to TIME')}.`
    case 'use_service':
      return step.again
        ? `To use the service, run ${code('tt login')} again.`
        : `To use a service instead, sign in with ${code('tt login')}.`
    case 'fix_entries': {
      const { mend, alternative } = fixCommands(step)
      return `To remove the overlap: ${mend}${alternative === undefined ? '' : `\nOr: ${alternative}`}`
    }
    case 'check_saved':
      return `Run ${code('tt log')} or ${code('tt expenses')} to see the saved changes. Repeat the command only if the change is missing.`
    case 'choose_task':
      return `Run ${code('tt tasks')} to list the tasks.${step.canCreate ? ' To create one, use --create with Project/Task.' : ''}`
    case 'create_task':
      return `Write Project or Project/Task to create one, such as ${code('tt start Website/Design --create')}.`
    case 'correct_or_create':
      return `Write "${step.known}", or add --create to create "${step.typed}".`
    case 'merge':
      return `If so, run ${code(`tt ${step.records} merge ${quoteWord(step.from)} ${quoteWord(step.into)}`)}.`
    case 'combine':
      return `To combine the two, run ${code(catalogCommand(step.records, 'merge', step.from, step.into))}.`
    case 'restore_record':
      return `Use another one, or run ${code(catalogCommand(step.records, 'restore', step.name))}.`
    case 'start_or_add':
      return `Run ${code('tt start TASK')} to start one, or ${code('tt add TASK 9:00-11:30')} to add time afterwards.`
    case 'add_entry':
      return `Run ${code('tt add')} to add an entry at any time.`
    case 'edit_timer_start':
      return `Run ${code('tt edit @ --from TIME')} to change its start.`
    case 'end_timer':
      return `Correct the clock, or end the timer at its start with ${code(`tt stop --at "${step.start}"`)}, or at a later time.`
    case 'list_history':
      return `Run ${code(`tt ${step.direction} --list`)} to list the changes that can be ${step.direction === 'undo' ? 'undone' : 'redone'}.`
    case 'next_change':
      return `Run ${code(`tt ${step.direction}`)} again for the ${step.direction === 'undo' ? 'previous' : 'next'} change.`
    case 'set':
      return `Run ${code(`tt config set ${step.setting} ${step.value ?? 'VALUE'}`)}.`
    case 'unset':
      return `Run ${code(`tt config unset ${step.setting}`)}.`
    case 'correct_setting':
      return correctionText(step, code)
    case 'set_import_option':
      return importOptionTexts[step.option]
    case 'set_amount':
      return `Run ${code(recordCommand('tt expenses edit', step.expense, ' --amount AMOUNT'))} to set it.`
    case 'choose_user_records':
      return 'Add --keep-time to keep them as those of a removed user, or --delete-time to delete them, too.'
    case 'salvage':
      return `Run ${code('tt doctor --salvage FILE')} to save what can be read in a backup.`
    case 'restore':
      return `Run ${code('tt restore FILE')} to restore a backup of ${code('tt backup')}.`
    case 'sign_out':
      return `Run ${code(`tt logout --profile ${quoteWord(step.profile)}`)} to sign out.`
    default:
      return signInText(step, code)
  }
}

/** Returns a command such as "tt projects merge Webiste Website". */
function catalogCommand(records: string, verb: string, ...names: string[]): string {
  return ['tt', records.replace('admin_', 'admin '), verb, ...names.map(quoteWord)].join(' ')
}

type SignInStep = Extract<
  NextStep,
  {
    action:
      | 'sign_in'
      | 'replace_token'
      | 'request_scopes'
      | 'check_sign_in'
      | 'change_address'
      | 'sign_in_without_key'
      | 'sign_in_with_other_browser'
      | 'store_in_file'
      | 'replace_credentials'
      | 'allow_insecure_http'
      | 'register_redirect_uri'
  }
>

const signInValues: Record<SignInValue, string> = {
  base_url: 'the base URL (--base-url)',
  auth_url: 'the address for signing in (--auth-url)',
  client_id: 'the client ID (--client-id)',
  client_secret: 'the client secret',
  redirect_uri: 'the redirect URI (--redirect-uri)',
  scope: 'the scopes (--scope)',
}

function signInText(step: SignInStep, code: MarkCommand): string {
  const withoutKey = `${code('tt login')} without --key to sign in with the browser`
  const loginWith = ({ profile }: { profile?: string | undefined }, options = '') =>
    code(`tt login${profile === undefined ? '' : ` --profile ${profile}`}${options}`)
  switch (step.action) {
    case 'sign_in': {
      const command = `${loginWith(step)} to ${step.sends ? 'send it' : 'sign in'}`
      if (step.ifInvalid) return `If the sign-in is no longer valid, run ${command}.`
      return `Run ${command}${step.allowsAccess ? ', and allow access' : ''}.`
    }
    case 'replace_token': {
      const token =
        step.scope === undefined ? 'Check TT_TOKEN' : `Set TT_TOKEN to a token with the scope ${step.scope}`
      return `${token}, or run ${loginWith({})} to sign in.`
    }
    case 'request_scopes':
      return `Run ${loginWith(step, ` --scope "${step.scopes.join(' ')}"`)} to sign in with these scopes.`
    case 'check_sign_in': {
      const values = new Intl.ListFormat('en').format(step.values.map((value) => signInValues[value]))
      return `Check ${values}${step.orWithoutKey ? `, or run ${withoutKey}` : ''}.`
    }
    case 'change_address': {
      const option = step.value === 'base_url' ? '--base-url' : '--auth-url'
      return `If the service has moved, run ${code(`tt login ${option} ${step.url ?? 'URL'}`)}.`
    }
    case 'sign_in_without_key':
      return `Run ${withoutKey}.`
    case 'sign_in_with_other_browser':
      return `Run ${code('tt login')} again. Without a browser on this machine, add --no-browser and paste the URL.`
    case 'store_in_file':
      return `Run ${code('tt login --insecure-storage')} to store the credentials in a file that only you can read.`
    case 'replace_credentials':
      return `If another user may have read it, run ${code('tt logout')}, then ${code('tt login')} to sign in.`
    case 'allow_insecure_http':
      return `Use https, or sign in with ${code('tt login --insecure-http')}.`
    case 'register_redirect_uri':
      return step.uri === undefined
        ? 'Register another redirect URI and pass it with --redirect-uri.'
        : `Register ${step.uri} as redirect URI and omit --redirect-uri.`
  }
}

function resolveText(
  { seq, isConflict, edit, candidates }: Extract<NextStep, { action: 'resolve_change' }>,
  code: MarkCommand,
): string {
  if (candidates) {
    const id = candidates[0] ?? 'ID'
    return `If it is ${id === 'ID' ? 'the record ID' : id}, run ${code(`tt sync adopt ${seq} ${id}`)}; otherwise ${code(`tt sync retry ${seq}`)} to send it again.`
  }
  const retry = `${code(`tt sync retry ${seq}`)} to ${isConflict ? 'overwrite the record' : 'send it again'}`
  const discard = `${code(`tt sync discard ${seq}`)} to discard it`
  if (!edit) return `Run ${retry}, or ${discard}.`
  const isEntry = edit.kind === 'entry'
  const command = isEntry ? recordCommand('tt edit', edit.id) : editExpense(edit.id)
  const field = `${code(editExpense(edit.id, ' --field NAME=VALUE'))} sets a field that has no option`
  return `Run ${code(command)} to correct it${isEntry ? '' : ` (${field})`}, ${retry}, or ${discard}.`
}

function editExpense(id: string, options = ''): string {
  return recordCommand('tt expenses edit', id, options)
}

function correctionText(
  { setting, example, isStored }: Extract<NextStep, { action: 'correct_setting' }>,
  code: MarkCommand,
): string {
  const correct = example
    ? `Write it like ${code(`tt config set ${example.setting} ${quoteWord(example.value)}`)}`
    : `Run ${code('tt config list')} to list the settings`
  return isStored
    ? `${correct}, or run ${code(`tt config unset ${quoteWord(setting)}`)} to remove it.`
    : `${correct}.`
}

/** Returns the hint of an error with its next step in words; undefined where it has neither. */
export function hintText({ hint, nextStep }: Pick<TtError, 'hint' | 'nextStep'>): string | undefined {
  const parts = [hint, nextStep && nextStepText(nextStep)].filter((part) => part !== undefined)
  return parts.length > 0 ? parts.join(' ') : undefined
}
