import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readRows } from './database-files.js'

/** Extracts a backup with the tar of the system, checks its sums with sha256sum, and returns the directory. */
export function extractBackup(file: string): string {
  const directory = mkdtempSync(join(dirname(file), 'extracted-'))
  execFileSync('tar', ['-xzf', file, '-C', directory])
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: directory })
  return directory
}

/**
 * Returns what does not fit together in a backup of a local workspace: entries of its commands without a history, and
 * creates in the history that are neither in the workspace nor pending.
 */
export async function findInconsistencies(directory: string): Promise<string[]> {
  const workspace = join(directory, 'workspace.db')
  const entries = await readRows<{ id: number; notes: string }>(
    workspace,
    "SELECT id, notes FROM time_entries WHERE notes NOT LIKE 'served %'",
  )
  const steps = await readRows<{ record: string; id: string | null; pending: number }>(
    workspace,
    `SELECT json_extract(steps, '$[0].record') AS record,
       (SELECT id FROM alias WHERE name = json_extract(steps, '$[0].record')) AS id,
       (SELECT count(*) FROM outbox WHERE record = json_extract(steps, '$[0].record')) AS pending
     FROM history`,
  )
  const ids = new Set(entries.map(({ id }) => String(id)))
  const known = new Set(steps.map(({ id }) => id))
  return [
    ...entries.filter(({ id }) => !known.has(String(id))).map(({ notes }) => `no history: ${notes}`),
    ...steps
      .filter(({ id, pending }) => pending === 0 && !ids.has(id ?? ''))
      .map(({ record }) => `no entry: ${record}`),
  ]
}
