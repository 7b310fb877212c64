import { TtError } from '../../../lib/errors.js'
import { readCsvEntries } from '../csv/csv-entries.js'
import { type ColumnPatterns, layoutOf, requireColumns } from '../csv/csv-layout.js'
import { readHeader } from '../csv/csv-rows.js'
import type { ImportFormat } from '../format.js'

const required = ['Start', 'End']

const columns: ColumnPatterns = {
  start: [/^start$/i],
  end: [/^end$/i],
  duration: [/^duration$/i],
  client: [/^client$/i],
  project: [/^project$/i],
  task: [/^task$/i],
  notes: [/^description$/i],
  tags: [/^tags$/i],
  billable: [/^billable$/i],
  person: [/^(user_)?email$/i, /^(user|user_name|member)$/i],
}

/** Columns that the detailed report and the import format of solidtime have, and together no other service. */
const typical = ['description', 'task', 'project', 'client', 'start', 'end', 'billable', 'tags']

/** The file of entries in the archive of an organization, which has IDs of projects instead of their names. */
const isArchiveHeader = (header: readonly string[]) =>
  ['organization_id', 'project_id', 'start'].every((name) => header.includes(name))

/** The detailed report of solidtime as CSV, and the CSV that solidtime itself imports. */
export const solidtime: ImportFormat = {
  name: 'solidtime',
  detect({ header }) {
    const names = new Set(header.map((name) => name.toLowerCase()))
    return typical.every((name) => names.has(name)) || isArchiveHeader(header)
  },
  async *read(source, options) {
    const header = await readHeader(source)
    if (isArchiveHeader(header)) {
      throw new TtError('usage', `${source.name} contains the IDs of projects instead of their names.`, {
        hint: 'Export the detailed report of solidtime as CSV instead of the data of the organization.',
      })
    }
    requireColumns(source.name, header, required, 'solidtime')
    const typeColumn = header.findIndex((name) => /^type$/i.test(name))
    yield* readCsvEntries(source, layoutOf(header, columns), options, {
      skipReason: (fields) => (fields[typeColumn]?.trim().toLowerCase() === 'break' ? 'breaks' : undefined),
    })
  },
}
