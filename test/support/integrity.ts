import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '../../src/lib/sqlite/open.js'

/**
 * Runs SQLite's integrity check on all databases under a directory; returns their number and the findings. Without
 * `*.work`: a backup or restore that is killed leaves incomplete copies there, which no command opens.
 */
export async function checkIntegrity(directory: string): Promise<{ databases: number; findings: string[] }> {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.db') && !/\.work[\\/]/.test(name))
    .map((name) => join(directory, name))
  const findings: string[] = []
  for (const file of files) {
    const database = await openSqlite(file)
    const rows = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]
    database.close()
    findings.push(
      ...rows
        .map((row) => row.integrity_check)
        .filter((finding) => finding !== 'ok')
        .map((finding) => `${file}: ${finding}`),
    )
  }
  return { databases: files.length, findings }
}
