import type { RecordKind, WireFields, WireRecord } from '../../../api-client/types.js'
import { TtError } from '../../../lib/errors.js'

/** Throws TtError `rejected` if the record that has the external ID of a new one already has other values. */
export async function checkSameContent(
  kind: RecordKind,
  stored: WireRecord,
  fields: WireFields,
): Promise<void> {
  const { externalIdConflict } = await import('../../../outbox/delivery/conflicts.js')
  const conflict = externalIdConflict(stored, { kind, fields })
  if (!conflict) return
  const command = kind === 'entry' ? 'tt edit' : 'tt expenses edit'
  throw new TtError('rejected', conflict.rejection.message, {
    hint: `Nothing was added. Run \`${command} ${stored.id}\` to change it.`,
  })
}
