import type { Context } from '../../cli/context.js'
import type { Input } from '../../cli/input.js'
import type { ReferenceData } from '../../outbox/cache/snapshots.js'
import type { commands } from '../../program/declarations/report.js'
import type { Catalog } from '../../tracking/catalog/catalog.js'
import type { Entries } from '../../tracking/entries/entries.js'

export type ReportInput = Input<typeof commands.report>

/** What a report reads from; expenses are only the user's own: a `Context` for the user's own entries, or `teamContext` for those of all users. */
export interface ReportContext
  extends Pick<Context, 'host' | 'terminal' | 'afterOutput' | 'config' | 'now' | 'durations'>,
    Partial<Pick<Context, 'expenses'>> {
  catalog(): Promise<Pick<Catalog, 'links'>>
  reference(): Promise<{
    recent<Kind extends 'catalog' | 'company'>(kind: Kind): Promise<ReferenceData[Kind]>
  }>
  entries(): Promise<Pick<Entries, 'batches' | 'batchesOfTimes' | 'hasEntryBefore'>>
  /** The users whose entries the report is about; undefined for the user's own. */
  readonly team?: Team | undefined
}

interface Team {
  /** The users of the report in words; empty for all. */
  selection: readonly string[]
}
