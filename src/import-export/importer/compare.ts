import type { Staging } from './staging.js'

/** An entry of the profile, with its pending changes. */
export interface ExistingEntry {
  id: string | number
  externalId: string | null
  start: Date
  /** null while it runs. */
  end: Date | null
  notes: string
  taskLink: string | number | null
}

export interface CompareOptions {
  /** Yields the entries of the profile in the period of the staged ones. */
  existing: AsyncIterable<readonly ExistingEntry[]>
  /** Returns the entry of the profile with an external ID, also outside the period. */
  find(externalId: string): Promise<ExistingEntry | undefined>
  /** Whether entries that were imported earlier and deleted since are created again. */
  again: boolean
  /** Whether the entries of changed ones are updated. */
  update: boolean
  /** Whether another file of the same import starts a timer. */
  hasTimer?: boolean
}

/**
 * Compares the staged entries with those of the profile, and stores what to do with each one in `entry.action`. All
 * combinations must have a task link, or the names of one to create.
 *
 * 1. An entry of the profile with the same external ID: `unchanged` if the source has the content that was imported last,
 *    or if the entry has the same times, notes and task link; otherwise `changed` or `update`.
 * 2. On an invoice, without such an entry: `invoiced`.
 * 3. Imported earlier, without such an entry: `deleted`, or `create` with `again`.
 * 4. An entry of the profile without an external ID, but with the same times, notes and task link: `equal`. n entries of
 *    the profile are equal to n of the source.
 * 5. Any other: `create`.
 *
 * An entry to create or update that has no end is a `second_timer` while another entry of the profile has none.
 */
export async function compare(staging: Staging, options: CompareOptions): Promise<void> {
  const { database, tables } = staging
  const { entry, existing } = tables
  staging.change(() =>
    database.exec(
      `DROP INDEX IF EXISTS temp.${existing}_external; DELETE FROM ${existing};
       UPDATE ${entry} SET action = 'create', record = NULL, before = NULL WHERE action <> 'create'`,
    ),
  )
  for await (const batch of options.existing) addExisting(staging, batch)
  staging.change(() => {
    database.exec(`CREATE INDEX temp.${existing}_external ON ${existing} (external_id)`)
    markByExternalId(staging)
    markInvoiced(staging)
    markDeleted(staging)
    markEqual(staging)
  })
  if (options.again) await createDeletedAgain(staging, options)
  staging.change(() => {
    if (options.update) database.exec(`UPDATE ${entry} SET action = 'update' WHERE action = 'changed'`)
    database
      .prepare(
        `UPDATE ${entry} AS entry SET action = 'second_timer' WHERE end_at IS NULL AND action IN ('create', 'update')
           AND (? OR EXISTS (
             SELECT 1 FROM ${existing} AS existing WHERE end_at IS NULL AND existing.id IS NOT entry.record))`,
      )
      .run([options.hasTimer ?? false])
  })
}

function addExisting(staging: Staging, entries: readonly ExistingEntry[]) {
  const insert = staging.database.prepare(
    `INSERT INTO ${staging.tables.existing} (id, external_id, start_at, end_at, notes, task_link)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  staging.change(() => {
    for (const { id, externalId, start, end, notes, taskLink } of entries) {
      insert.run([
        String(id),
        externalId,
        start.getTime(),
        end?.getTime() ?? null,
        notes,
        taskLink === null ? null : String(taskLink),
      ])
    }
  })
}

/** The task link of a combination as text, like that of an existing entry. */
const linkOfCombination = `CAST(json_extract(combination.task_link, '$') AS TEXT)`

/** Services store whole seconds. */
const hasSameFields = `
  existing.start_at / 1000 = entry.start_at / 1000 AND existing.end_at / 1000 IS entry.end_at / 1000
  AND existing.notes = entry.notes AND existing.task_link IS ${linkOfCombination}`

function markByExternalId({ database, tables: { entry, existing, combination } }: Staging) {
  database.exec(
    `UPDATE ${existing} AS existing SET is_matched = 1
       WHERE EXISTS (SELECT 1 FROM ${entry} AS entry WHERE entry.external_id = existing.external_id);
     UPDATE ${entry} AS entry SET
       record = existing.id,
       action = CASE WHEN (imported.undone = 0 AND imported.content = entry.content) OR (${hasSameFields})
         THEN 'unchanged' ELSE 'changed' END,
       before = json_object('start_at', existing.start_at, 'end_at', existing.end_at, 'notes', existing.notes,
         'task_link', existing.task_link)
     FROM ${existing} AS existing LEFT JOIN main.imported AS imported
       ON imported.external_id = existing.external_id, ${combination} AS combination
     WHERE existing.external_id = entry.external_id AND combination.id = entry.combination`,
  )
}

function markInvoiced({ database, tables: { entry } }: Staging) {
  database.exec(
    `UPDATE ${entry} SET action = 'invoiced' WHERE action = 'create' AND external_id IN (
       SELECT json_extract(billed.value, '$.external_id')
       FROM main.invoice AS invoice, json_each(invoice.body, '$.entries') AS billed
       WHERE invoice.id NOT IN (SELECT cancels FROM main.invoice WHERE cancels IS NOT NULL))`,
  )
}

function markDeleted({ database, tables: { entry } }: Staging) {
  database.exec(
    `UPDATE ${entry} AS entry SET action = 'deleted' WHERE action = 'create'
       AND EXISTS (SELECT 1 FROM main.imported AS i WHERE i.external_id = entry.external_id AND i.undone = 0)`,
  )
}

function markEqual({ database, tables: { entry, existing, combination } }: Staging) {
  database.exec(
    `WITH source AS (
       SELECT entry.position, entry.start_at / 1000 AS start, entry.end_at / 1000 AS end, entry.notes, ${linkOfCombination} AS link,
         row_number() OVER (PARTITION BY entry.start_at / 1000, entry.end_at / 1000, entry.notes, ${linkOfCombination}
           ORDER BY entry.position) AS number
       FROM ${entry} AS entry JOIN ${combination} AS combination ON combination.id = entry.combination
       WHERE entry.action = 'create' AND EXISTS (SELECT 1 FROM ${existing} WHERE is_matched = 0 AND external_id IS NULL)
     ), other AS (
       SELECT id, start_at / 1000 AS start, end_at / 1000 AS end, notes, task_link AS link,
         row_number() OVER (PARTITION BY start_at / 1000, end_at / 1000, notes, task_link ORDER BY id) AS number
       FROM ${existing} WHERE is_matched = 0 AND external_id IS NULL
     )
     UPDATE ${entry} AS entry SET action = 'equal', record = equal.id FROM (
       SELECT source.position, other.id FROM other JOIN source
         ON source.start = other.start AND source.end IS other.end AND source.notes = other.notes
           AND source.link = other.link AND source.number = other.number
     ) AS equal WHERE equal.position = entry.position`,
  )
}

/** Creates deleted entries again, unless they are on an invoice, or their entry has only been moved out of the period. */
async function createDeletedAgain(staging: Staging, { find }: CompareOptions) {
  const { database, tables } = staging
  const deleted = database
    .prepare(
      `SELECT position, external_id FROM ${tables.entry} WHERE action IN ('deleted', 'invoiced') ORDER BY position`,
    )
    .all() as { position: number; external_id: string }[]
  const moved: ExistingEntry[] = []
  for (const { external_id: externalId } of deleted) {
    const found = await find(externalId)
    if (found) moved.push({ ...found, externalId })
  }
  staging.change(() => database.exec(`UPDATE ${tables.entry} SET action = 'create' WHERE action = 'deleted'`))
  addExisting(staging, moved)
  staging.change(() => markByExternalId(staging))
}
