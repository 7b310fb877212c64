import type { Context } from '../../cli/context.js'
import type { Input } from '../../cli/input.js'
import type { RecordedChange } from '../../cli/recorded-change.js'
import { countText } from '../../lib/text/words.js'
import type { commands } from '../../program/declarations/admin.js'
import type { CompanySettings } from '../../service/admin/company.js'
import type { Storage } from '../../service/storage/storage.js'
import { companyView } from '../views/workspace.js'

export const view = {
  ...companyView,
  columns: [
    ...companyView.columns,
    { key: 'visibility', title: 'Visible projects' },
    { key: 'legacy_keys', title: 'Legacy keys', text: legacyKeyText },
  ],
}

export async function run(
  ctx: Context,
  { options }: Input<typeof commands.admin.commands.company>,
  recorded: RecordedChange,
) {
  const { companyOf, updateCompany } = await import('../../service/admin/administration.js')
  const changes = {
    name: options.name,
    currency: options.currency?.toUpperCase(),
    timeZone: options.timeZone,
    legacyKeys: options.legacyKeys && options.legacyKeys === 'on',
    legacyKeyDays: options.legacyKeyDays,
    visibility: options.visibility,
    closedUntil: options.closedUntil,
  }
  const storage = await ctx.storage(options.database)
  const isUnchanged = Object.values(changes).every((value) => value === undefined)
  if (isUnchanged) return companyOf(storage)
  const company = await recorded(storage, (storage) => updateCompany(storage, changes))
  if (changes.visibility === 'assigned') await warnOfUnassigned(ctx, storage)
  if (changes.closedUntil) await warnOfClosedTimers(ctx, storage)
  return company
}

function legacyKeyText({ legacy_keys: isOn, legacy_key_days: days }: Partial<CompanySettings>): string {
  if (!isOn) return 'off'
  return typeof days === 'number' ? `expire after ${days} days` : 'on'
}

async function warnOfUnassigned(ctx: Context, storage: Storage) {
  const { countUnassigned } = await import('../../service/admin/administration.js')
  const count = await countUnassigned(storage)
  if (count === 0) return
  const users = `${countText(count, 'user')} ${count === 1 ? 'has' : 'have'} no assignment`
  ctx.terminal.warn(
    `${users} and can track no time. Run \`tt admin assign EMAIL PROJECT…\` to assign projects.`,
  )
}

async function warnOfClosedTimers(ctx: Context, storage: Storage) {
  const { countClosedTimers } = await import('../../service/admin/administration.js')
  const count = await countClosedTimers(storage)
  if (count === 0) return
  const [timers, object] = count === 1 ? ['1 timer started', 'it'] : [`${count} timers started`, 'them']
  ctx.terminal.warn(
    `${timers} in the closed period and ${count === 1 ? 'is' : 'are'} still running. ` +
      `Users can stop ${object} only after \`tt admin company --closed-until none\`.`,
  )
}
