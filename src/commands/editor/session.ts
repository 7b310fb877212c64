import type { Context } from '../../cli/context.js'
import { hintText } from '../../cli/next-step.js'
import { recordCommand } from '../../cli/record-command.js'
import type { Entry } from '../../entries/entry.js'
import { editAll } from '../../entries/rearrange.js'
import { TtError } from '../../lib/errors.js'
import { createDraft, type Draft, editFile } from '../../ui/editor.js'
import { createForm, type FormError, withErrors, withoutErrors } from './form.js'
import { errorMessage, type ParsedForm, parseForm } from './parse.js'

/**
 * Has somebody edit the entries in their editor, as often as it takes, and makes one change of what they typed. Answers
 * the entries that were changed; undefined where nothing was.
 *
 * Whatever it throws, what was typed stays in its file, and the hint of the error names it.
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

async function editUntilValid(
  ctx: Context,
  entries: readonly Entry[],
  form: string,
  draft: Draft,
): Promise<Entry[] | undefined> {
  let previous = form
  for (;;) {
    await editFile(draft.path, ctx.host)
    const text = withoutErrors(draft.read())
    if (isEmpty(text)) return printUnchanged(ctx)
    const parsed = await parseForm(ctx, text, entries)
    const outcome = parsed.errors.length > 0 ? { flaws: parsed.errors } : await applyEdits(ctx, parsed)
    if (!('flaws' in outcome)) return outcome.entries
    const { flaws } = outcome
    const message = flaws[0]?.message ?? ''
    if (previous !== form && text === withoutErrors(previous)) {
      throw new TtError('usage', message, { hint: 'The editor was closed without a change.' })
    }
    ctx.warn(`${message} The editor opens again, with what was typed.`)
    previous = withErrors(text, flaws)
    draft.write(previous)
  }
}

/** Makes the change. What the local workspace refuses can be typed otherwise; what a service refuses is set aside. */
async function applyEdits(
  ctx: Context,
  { edits: mended, removed: leftOut, lineOf }: ParsedForm,
): Promise<{ entries: Entry[] | undefined } | { flaws: FormError[] }> {
  for (const { id } of leftOut)
    ctx.message(
      `Entry ${id} stays as it is: its block was removed. \`${recordCommand('tt rm', id)}\` deletes it.`,
    )
  if (mended.length === 0) return { entries: printUnchanged(ctx) }
  try {
    return { entries: await editAll(await ctx.entries(), mended) }
  } catch (error) {
    if (ctx.profile.kind !== 'local') throw error
    return { flaws: [{ line: lineOf(String(mended[0]?.entry.id)), message: errorMessage(error) }] }
  }
}

function printUnchanged(ctx: Context): undefined {
  ctx.message('Nothing was changed.')
}

function isEmpty(text: string): boolean {
  return text.split('\n').every((line) => line.trim() === '' || line.startsWith('#'))
}

function addDraftPath(error: unknown, path: string): unknown {
  const where = `What was typed is kept in ${path}.`
  if (!(error instanceof TtError)) return new TtError('failure', String(error), { hint: where, cause: error })
  const { code, message, status, cause } = error
  const hint = hintText(error)
  return new TtError(code, message, { hint: hint ? `${hint} ${where}` : where, status, cause })
}
