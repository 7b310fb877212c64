import type { SalvagedDatabase } from '../../backup/salvage.js'
import type { Context } from '../../cli/context.js'
import { countText, listText } from '../../lib/text/words.js'
import { chooseTarget } from '../shared/backup-target.js'
import { contentsText } from '../views/backup.js'
import type { Check } from '../views/check.js'

/** Saves what can be read to a backup, and reports each damaged database. Prompts before it replaces a file. */
export async function salvageDatabases(ctx: Context, file: string): Promise<Check[]> {
  const target = await chooseTarget(ctx, file, { name: 'tt-salvage', extension: '.tar.gz' })
  if (target === undefined) return []
  const { salvage } = await import('../../backup/salvage.js')
  const progress = ctx.terminal.withProgress(() => 'Saving …')
  const { contents, damaged } = await salvage(ctx.config.paths, target, ctx.now).finally(() => progress.end())
  const saved: Check = {
    check: 'salvage',
    state: 'ok',
    message: `Saved ${target}: ${contentsText(contents)}.`,
    hint: `Run \`tt restore ${target}\` to use it: damaged databases are renamed, and your other data is replaced by the saved data.`,
  }
  if (damaged.length === 0) return [{ ...saved, hint: 'No database is damaged.' }]
  return [...damaged.map(damagedCheck), saved]
}

function damagedCheck({ path, flaw, rows, incompleteTables }: SalvagedDatabase): Check {
  const incomplete =
    incompleteTables.length === 0 ? 'all rows' : `not all rows of ${listText(incompleteTables)}`
  const message = `${path} is damaged (${flaw}). Read ${countText(rows, 'row')}: ${incomplete}.`
  return { check: 'salvage', state: 'warning', message, hint: null }
}
