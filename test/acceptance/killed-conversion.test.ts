import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formerNotes, formerState, formerTitles, writeFormerWorkspace } from '../support/former-workspace.js'
import { checkIntegrity } from '../support/integrity.js'
import { killAfter } from '../support/killed-commands.js'
import { copyDirectory, temporaryDirectory, ttJson } from '../support/process.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'

const killCount = Number(process.env.TT_CONVERSION_KILLS ?? 15)

test(`a workspace in two files has all its data after a conversion that was killed at ${killCount} moments`, async () => {
  const random = new SeededRandom(chooseSeed('killed conversion'))
  const original = temporaryDirectory()
  // Large enough that the conversion takes a noticeable part of the time.
  await writeFormerWorkspace(original, {
    state: `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
      INSERT INTO imported (external_id, content, import) SELECT 'other/' || n, hex(randomblob(40)), 'other' FROM numbers`,
  })
  const startMs = performance.now()
  await killAfter(copyDirectory(original), ['log'], 60_000)
  const durationMs = performance.now() - startMs
  let converted = 0
  for (let kill = 1; kill <= killCount; kill++) {
    const home = copyDirectory(original)
    const delayMs = random.next() * durationMs
    const isKilled = await killAfter(home, ['log'], delayMs)
    if (isKilled && !existsSync(join(home, formerState))) converted++
    const titles = (await ttJson<{ what: string }[]>(home, 'undo', '--list', '100')).map(({ what }) => what)
    expect(titles, `after ${delayMs} ms`).toEqual(formerTitles)
    const entries = await ttJson<{ notes: string }[]>(home, 'log', '--since', '2024-05-01')
    expect(entries.map(({ notes }) => notes)).toEqual(formerNotes)
    expect(existsSync(join(home, formerState))).toBe(false)
    expect(await checkIntegrity(home)).toMatchObject({ findings: [] })
  }
  process.stdout.write(`${converted} were killed after the conversion\n`)
})
