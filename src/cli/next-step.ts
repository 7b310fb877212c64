import type { TtError } from '../lib/errors.js'
import type { NextStep } from '../lib/next-step.js'
import { recordCommand } from './record-command.js'

const listCommands: Record<Extract<NextStep, { action: 'list' }>['records'], string> = {
  entries: 'tt log --fields id,time_start,task',
  expenses: 'tt expenses',
  expense_types: 'tt expenses types',
  projects: 'tt projects',
  task_links: 'tt links',
  admin_applications: 'tt admin app list',
  admin_expense_types: 'tt admin expense-type list',
  admin_projects: 'tt admin project list',
  admin_users: 'tt admin user list',
}

/** Returns the sentence that tells the user which command to run. */
export function nextStepText(step: NextStep): string {
  switch (step.action) {
    case 'sign_in':
      return `Run \`tt login${step.profile === undefined ? '' : ` --profile ${step.profile}`}\` to ${step.sends ? 'send it' : 'sign in'}.`
    case 'sync':
      return step.wait ? 'Run `tt sync --wait` to wait for that.' : 'Run `tt sync` to send it.'
    case 'list_changes':
      return 'Run `tt sync list` to see the changes.'
    case 'resolve_change':
      return resolveText(step)
    case 'remove':
      return `Run \`${recordCommand(step.kind === 'entry' ? 'tt rm' : 'tt expenses rm', step.id)}\` to remove it.`
    case 'resend_field':
      return step.date === undefined
        ? `If the service uses another name for the field, run \`${editExpense(step.id, ' --field NAME=VALUE')}\`.`
        : `Run \`${editExpense(step.id, ` --on ${step.date}`)}\` to send the date again.`
    case 'list':
      return `Run \`${listCommands[step.records]}\` to list them.`
    case 'check_saved':
      return 'Run `tt log` or `tt expenses` to see what was saved. Repeat the command only if the change is missing.'
    case 'choose_task':
      return `Run \`tt links\` to list the tasks.${step.canCreate ? ' Project/Task with --create creates a new one.' : ''}`
    case 'create_task':
      return 'Write Project/Task to create one, such as `tt start Website/Design --create`.'
    case 'correct_or_create':
      return `Write "${step.known}", or add --create if "${step.typed}" is meant.`
    case 'start_or_add':
      return 'Run `tt start TASK` to start one, or `tt add TASK --from TIME --to TIME` to add past time.'
    case 'add_entry':
      return 'Run `tt add` to add an entry at any time.'
    case 'edit_timer_start':
      return 'Run `tt edit @ --from TIME` to move its start.'
    case 'list_history':
      return `Run \`tt ${step.direction} --list\` to list the changes that can be ${step.direction === 'undo' ? 'undone' : 'redone'}.`
    case 'next_change':
      return `Run \`tt ${step.direction}\` again for the change ${step.direction === 'undo' ? 'before' : 'after'} it.`
    case 'set':
      return `Run \`tt config set ${step.setting} ${step.value ?? 'VALUE'}\`.`
    case 'unset':
      return `Run \`tt config unset ${step.setting}\`.`
  }
}

function resolveText({ seq, isConflict, edit }: Extract<NextStep, { action: 'resolve_change' }>): string {
  const retry = `\`tt sync retry ${seq}\` to ${isConflict ? 'overwrite the record' : 'send it again'}`
  const discard = `\`tt sync discard ${seq}\` to discard it`
  if (!edit) return `Run ${retry}, or ${discard}.`
  const isEntry = edit.kind === 'entry'
  const command = isEntry ? recordCommand('tt edit', edit.id) : editExpense(edit.id)
  const field = `\`${editExpense(edit.id, ' --field NAME=VALUE')}\` sets a field without an option`
  return `Run \`${command}\` to correct it${isEntry ? '' : ` (${field})`}, ${retry}, or ${discard}.`
}

function editExpense(id: string, options = ''): string {
  return recordCommand('tt expenses edit', id, options)
}

/** Returns the hint of an error with its next step in words; undefined where it has neither. */
export function hintText({ hint, nextStep }: Pick<TtError, 'hint' | 'nextStep'>): string | undefined {
  const parts = [hint, nextStep && nextStepText(nextStep)].filter((part) => part !== undefined)
  return parts.length > 0 ? parts.join(' ') : undefined
}
