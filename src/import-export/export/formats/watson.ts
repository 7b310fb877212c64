import { createHash } from 'node:crypto'
import { labelOf } from '../../../tracking/entries/entry.js'
import { arrayWriter, jsonText } from '../../../ui/formats/json.js'
import { namesAndTags } from '../entry-values.js'
import type { ExportedEntry, ExportFormat } from '../export-format.js'

/** The file `frames` of Watson 2: `[start, stop, project, id, tags, updated_at]` with epoch seconds. */
export const watson: ExportFormat = {
  running: 'none',
  limitsRunning: 'Watson',
  lacksNotes: 'Watson',
  writer: () => arrayWriter((entry) => ` ${jsonText(frameOf(entry))}`),
}

function frameOf(entry: ExportedEntry): unknown[] {
  const { link, start, end, uid, wire } = entry
  const project = link?.project?.name ?? link?.task?.name ?? labelOf(entry)
  const stop = end ?? start
  const updated = Date.parse(String(wire.updated_at))
  return [
    seconds(start.getTime()),
    seconds(stop.getTime()),
    project,
    idOf(uid),
    namesAndTags(entry).filter((tag) => tag !== project),
    seconds(Number.isNaN(updated) ? stop.getTime() : updated),
  ]
}

function seconds(epochMs: number): number {
  return Math.floor(epochMs / 1000)
}

/** Returns an ID in the form of Watson, 32 hexadecimal digits, which stays the same in later exports. */
function idOf(uid: string): string {
  return createHash('sha256').update(uid).digest('hex').slice(0, 32)
}
