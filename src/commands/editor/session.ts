import type { Context } from '../../cli/context.js'
import type { Entry } from '../../entries/entry.js'
import { mendAll } from '../../entries/rearrange.js'
import { TtError } from '../../lib/errors.js'
import { type Draft, editFile, newDraft } from '../../ui/editor.js'
import { recordCommand } from '../shared/record-command.js'
import { type Flaw, formOf, withFlaws, withoutFlaws } from './form.js'
import { readTyped, refusalOf, type Typed } from './parse.js'

/**
 * Has somebody edit the entries in their editor, as often as it takes, and makes one change of what they typed. Answers
 * the entries that were changed; undefined where nothing was.
 *
 * Whatever it throws, what was typed stays in its file, and the hint of the error names it.
 */
export async function editInEditor(ctx: Context, entries: readonly Entry[]): Promise<Entry[] | undefined> {
  const form = formOf(entries)
  const draft = newDraft(form)
  let isKept = false
  try {
    return await edited(ctx, entries, form, draft)
  } catch (error) {
    const text = withoutFlaws(draft.read())
    isKept = text !== form && !isEmpty(text)
    throw isKept ? namingDraft(error, draft.path) : error
  } finally {
    if (!isKept) draft.remove()
  }
}

async function edited(
  ctx: Context,
  entries: readonly Entry[],
  form: string,
  draft: Draft,
): Promise<Entry[] | undefined> {
  let given = form
  for (;;) {
    await editFile(draft.path, ctx.world)
    const text = withoutFlaws(draft.read())
    if (isEmpty(text)) return nothing(ctx)
    const typed = await readTyped(ctx, text, entries)
    const outcome = typed.flaws.length > 0 ? { flaws: typed.flaws } : await made(ctx, typed)
    if (!('flaws' in outcome)) return outcome.entries
    const { flaws } = outcome
    const message = flaws[0]?.message ?? ''
    if (given !== form && text === withoutFlaws(given)) {
      throw new TtError('usage', message, { hint: 'The editor was closed without a change.' })
    }
    ctx.warn(`${message} The editor opens again, with what was typed.`)
    given = withFlaws(text, flaws)
    draft.write(given)
  }
}

/** Makes the change. What the local workspace refuses can be typed otherwise; what a service refuses is set aside. */
async function made(
  ctx: Context,
  { mended, leftOut, lineOf }: Typed,
): Promise<{ entries: Entry[] | undefined } | { flaws: Flaw[] }> {
  for (const { id } of leftOut)
    ctx.say(
      `Entry ${id} stays as it is: its block was removed. \`${recordCommand('tt rm', id)}\` deletes it.`,
    )
  if (mended.length === 0) return { entries: nothing(ctx) }
  try {
    return { entries: await mendAll(await ctx.tracking(), mended) }
  } catch (error) {
    if (ctx.profile.kind !== 'local') throw error
    return { flaws: [{ line: lineOf(String(mended[0]?.entry.id)), message: refusalOf(error) }] }
  }
}

function nothing(ctx: Context): undefined {
  ctx.say('Nothing was changed.')
}

function isEmpty(text: string): boolean {
  return text.split('\n').every((line) => line.trim() === '' || line.startsWith('#'))
}

function namingDraft(error: unknown, path: string): unknown {
  const where = `What was typed is kept in ${path}.`
  if (!(error instanceof TtError)) return new TtError('failure', String(error), { hint: where, cause: error })
  const { code, message, hint, status, cause } = error
  return new TtError(code, message, { hint: hint ? `${hint} ${where}` : where, status, cause })
}
