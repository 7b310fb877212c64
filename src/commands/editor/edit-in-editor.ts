import type { WireFields } from '../../api-client/types.js'
import type { Context } from '../../cli/context.js'
import { recordCommand } from '../../cli/fix-command.js'
import { hintText } from '../../cli/next-step-text.js'
import { dayOf } from '../../lib/calendar/day.js'
import { parseTime } from '../../lib/calendar/time.js'
import { TtError } from '../../lib/errors.js'
import type { PlannedLink } from '../../tracking/catalog/catalog.js'
import type { Entry } from '../../tracking/entries/entry.js'
import { type EntryEdit, editAll } from '../../tracking/entries/rearrange.js'
import { createDraft, type Draft, editFile } from '../../ui/editor.js'
import { orderProblem } from '../adjust/times.js'
import {
  type Block,
  createForm,
  type Field,
  type FieldName,
  type FormError,
  splitForm,
  withErrors,
  withoutErrors,
} from './edit-form.js'

/**
 * Opens the entries in the user's editor until the text is valid, and saves the edits as one change. Returns the changed
 * entries; undefined when nothing was changed.
 *
 * On an error, the edited text stays in its file, and the hint names that file.
 */
export async function editInEditor(ctx: Context, entries: readonly Entry[]): Promise<Entry[] | undefined> {
  const form = createForm(entries)
  const draft = createDraft(form)
  let isDraftNeeded = false
  try {
    return await editUntilValid(ctx, entries, form, draft)
  } catch (error) {
    const text = withoutErrors(draft.read())
    isDraftNeeded = text !== form && !isEmpty(text)
    throw isDraftNeeded ? addDraftPath(error, draft.path) : error
  } finally {
    if (!isDraftNeeded) draft.remove()
  }
}

/** A shorter run of the editor is that of a program that does not wait for the user. */
const quickExitMs = 1000

async function editUntilValid(
  ctx: Context,
  entries: readonly Entry[],
  form: string,
  draft: Draft,
): Promise<Entry[] | undefined> {
  let previous = form
  let quickExits = 0
  for (;;) {
    const start = ctx.host.now().getTime()
    const { endedAfterInterrupt } = await editFile(draft.path, ctx.host)
    quickExits = ctx.host.now().getTime() - start < quickExitMs ? quickExits + 1 : 0
    const text = withoutErrors(draft.read())
    if (isEmpty(text)) return printUnchanged(ctx)
    const parsed = await parseForm(ctx, text, entries)
    const outcome = parsed.errors.length > 0 ? parsed : await applyEdits(ctx, parsed)
    if (!('errors' in outcome)) return outcome.entries
    const { errors } = outcome
    const message = errors[0]?.message ?? ''
    if (previous !== form && text === withoutErrors(previous)) {
      throw new TtError('usage', message, { hint: 'The editor was closed without changes.' })
    }
    if (endedAfterInterrupt) throw new TtError('interrupted', `${message} Interrupted. Nothing was changed.`)
    if (quickExits > 1) throw new TtError('usage', message, { hint: 'The editor ended at once twice.' })
    ctx.terminal.warn(`${message} The editor opens again with your text.`)
    previous = withErrors(text, errors)
    draft.write(previous)
  }
}

/** Saves the edits. The user can correct what the local workspace rejects; a service's rejection stays in the outbox. */
async function applyEdits(
  ctx: Context,
  { edits, removed, lineOf }: ParsedForm,
): Promise<{ entries: Entry[] | undefined } | { errors: FormError[] }> {
  for (const { id } of removed)
    ctx.terminal.message(
      `Entry ${id} is unchanged: its block was removed. Run \`${recordCommand('tt rm', id)}\` to delete it.`,
    )
  if (edits.length === 0) return { entries: printUnchanged(ctx) }
  try {
    return { entries: await editAll(await ctx.entryWriter(), edits) }
  } catch (error) {
    if (ctx.config.profile.hasDelivery) throw error
    return { errors: [{ line: lineOf(String(edits[0]?.entry.id)), message: errorMessage(error) }] }
  }
}

function printUnchanged(ctx: Context): undefined {
  ctx.terminal.message('Nothing was changed.')
}

function isEmpty(text: string): boolean {
  return text.split('\n').every((line) => line.trim() === '' || line.startsWith('#'))
}

function addDraftPath(error: unknown, path: string): unknown {
  const where = `Your text is saved in ${path}.`
  if (!(error instanceof TtError)) return new TtError('failure', String(error), { hint: where, cause: error })
  const { code, message, status, cause } = error
  const hint = hintText(error)
  return new TtError(code, message, { hint: hint ? `${hint} ${where}` : where, status, cause })
}

/** The result of parsing a text. */
interface ParsedForm {
  edits: EntryEdit[]
  errors: FormError[]
  /** The entries without a block. */
  removed: Entry[]
  /** Returns the first line of the block of an entry. */
  lineOf(id: string): number
}

/** Parses the edited text of these entries. Tasks are looked up only when everything else is valid. */
async function parseForm(ctx: Context, text: string, entries: readonly Entry[]): Promise<ParsedForm> {
  const { blocks, errors } = splitForm(text)
  const originals = new Map(splitForm(createForm(entries)).blocks.map((block) => [block.id, block]))
  const edits: EntryEdit[] = []
  const tasks: { edit: EntryEdit; field: Field }[] = []
  for (const block of blocks) {
    const entry = entries.find(({ id }) => String(id) === block.id)
    const original = originals.get(block.id)
    if (!entry || !original) {
      errors.push({ line: block.line, message: `Entry ${block.id} is not one of the edited entries.` })
      continue
    }
    const changedField = (name: FieldName) => {
      const field = block.fields[name]
      return field && field.value !== original.fields[name]?.value ? field : undefined
    }
    const notes = changedField('notes')
    const fields = {
      ...timesOf(
        entry,
        { from: changedField('from'), to: changedField('to') },
        block,
        ctx.host.now(),
        errors,
      ),
      ...(notes ? { notes: notes.value } : {}),
    }
    const edit: EntryEdit = { entry, fields }
    const task = changedField('task')
    if (task) tasks.push({ edit, field: task })
    if (task || Object.keys(fields).length > 0) edits.push(edit)
  }
  if (errors.length === 0) await planTasks(ctx, tasks, errors)
  const blockIds = new Set(blocks.map(({ id }) => id))
  return {
    edits,
    errors,
    removed: entries.filter(({ id }) => !blockIds.has(String(id))),
    lineOf: (id) => blocks.find((block) => block.id === id)?.line ?? 0,
  }
}

/** Plans the tasks of the edits, those of equal text once. */
async function planTasks(
  ctx: Context,
  tasks: readonly { edit: EntryEdit; field: Field }[],
  errors: FormError[],
) {
  const planned = new Map<string, PlannedLink>()
  for (const { edit, field } of tasks)
    await collectErrors(field, errors, async () => {
      edit.task = planned.get(field.value) ?? (await (await ctx.catalog()).plan(field.value))
      planned.set(field.value, edit.task)
    })
}

/** Returns the changed times. A time without a date is on the day of the entry. */
function timesOf(
  entry: Entry,
  { from, to }: { from: Field | undefined; to: Field | undefined },
  block: Block,
  now: Date,
  errors: FormError[],
): WireFields {
  if (!from && !to) return {}
  const start = from
    ? parseField(from, errors, (text) => parseTime(text, now, dayOf(entry.start)))
    : entry.start
  if (!start) return {}
  const isRunning = to && (to.value === '' || to.value.toLowerCase() === 'running')
  const end = isRunning
    ? null
    : to
      ? parseField(to, errors, (text) => parseTime(text, now, dayOf(start)))
      : entry.end
  if (end === undefined) return {}
  const message = orderProblem(start, end, now)
  if (message !== undefined) errors.push({ line: (to ?? from ?? block).line, message })
  return {
    ...(from ? { time_start: start.toISOString() } : {}),
    ...(to ? { time_end: end?.toISOString() ?? null } : {}),
  }
}

function parseField<Value>(
  field: Field,
  errors: FormError[],
  parse: (text: string) => Value,
): Value | undefined {
  try {
    return parse(field.value)
  } catch (error) {
    errors.push({ line: field.line, message: errorMessage(error) })
    return undefined
  }
}

async function collectErrors(field: Field, errors: FormError[], work: () => Promise<void>) {
  try {
    await work()
  } catch (error) {
    errors.push({ line: field.line, message: errorMessage(error) })
  }
}

/** Returns the text of an error that the user can correct. Rethrows other errors. */
function errorMessage(error: unknown): string {
  if (error instanceof TtError && ['usage', 'not_found', 'rejected'].includes(error.code))
    return [error.message, hintText(error)].filter(Boolean).join(' ')
  throw error
}
