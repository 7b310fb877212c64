import type { EntryFilterOptions } from '../program/options/shared-options.js'

/** The option of each filter of entries, in the order of the help. A filter that is missing here does not compile. */
export const entryFilterFlags: Readonly<Record<keyof EntryFilterOptions, string>> = {
  project: '--project',
  client: '--client',
  task: '--task',
  notes: '--notes',
  tag: '--tag',
  where: '--where',
  running: '--running',
  pending: '--pending',
  billable: '--billable',
  notBillable: '--not-billable',
  invoiced: '--invoiced',
  uninvoiced: '--uninvoiced',
}
