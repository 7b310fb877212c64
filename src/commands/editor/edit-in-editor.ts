import type { Context } from '../../cli/context.js'
import { hintText } from '../../cli/next-step-text.js'
import { recordCommand } from '../../cli/record-command.js'
import { TtError } from '../../lib/errors.js'
import type { Entry } from '../../tracking/entries/entry.js'
import { editAll } from '../../tracking/entries/rearrange.js'
import { createDraft, type Draft, editFile } from '../../ui/editor.js'
import { createForm, type FormError, withErrors, withoutErrors } from './edit-form.js'
import { errorMessage, type ParsedForm, parseForm } from './parse.js'

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
