import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { cleanEnvironment, root, run, temporaryDirectory } from '../support/process.js'

const v8 = process.versions.v8

/** The package as it is on a machine whose V8 is not that of the build. */
function elsewhere() {
  const home = temporaryDirectory()
  const place = join(home, 'package')
  const compiled = /\.cjs\.[^/]+$/
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(root, part), join(place, part), { recursive: true, filter: (path) => !compiled.test(path) })
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'))
  const cache = join(home, 'cache')
  const env = cleanEnvironment({ TT_HOME: join(home, 'tt'), XDG_CACHE_HOME: cache })
  const start = (...argv: string[]) =>
    run(process.execPath, ['--profile-deserialization', join(place, 'bin', 'tt.js'), ...argv], { env })
  return {
    cache,
    start,
    /** Where this build keeps its code. */
    kept: () => join(cache, 'tt', readdirSync(join(cache, 'tt')).find((name) => name.endsWith(v8)) ?? ''),
    /** How many kilobytes of compiled functions V8 has taken over, besides Node's own. */
    async taken(...argv: string[]): Promise<number> {
      const { status, stdout } = await start(...argv)
      expect(status).toBe(0)
      const sizes = [...stdout.matchAll(/\[Deserializing from (\d+) bytes/g)].map(([, bytes]) =>
        Number(bytes),
      )
      return sizes.filter((bytes) => bytes > 20_000).reduce((sum, bytes) => sum + bytes, 0) / 1000
    },
  }
}

test('what a start has compiled the next one takes over, which its owner alone can write', async () => {
  const { taken, kept } = elsewhere()
  const before = await taken('status')
  expect(await taken('status')).toBeGreaterThan(before + 100)
  expect(statSync(kept()).mode & 0o777).toBe(0o700)
  expect(readdirSync(kept())).toEqual(expect.arrayContaining(['status', 'status.ran', 'timer']))
  for (const file of readdirSync(kept())) expect(statSync(join(kept(), file)).mode & 0o777).toBe(0o600)
})

test('each command adds what it needs once, and one that fails adds nothing', async () => {
  const { start, kept } = elsewhere()
  await start('status')
  const { size } = statSync(join(kept(), 'timer'))
  expect((await start('nonesuch')).status).toBe(2)
  expect(readdirSync(kept())).not.toContain('nonesuch.ran')
  await start('stop')
  expect(readdirSync(kept())).not.toContain('stop.ran')
  await start('start', 'Website/Design')
  expect(statSync(join(kept(), 'timer')).size).toBeGreaterThan(size)
  const { mtimeMs } = statSync(join(kept(), 'timer'))
  await start('start', 'Website/Review')
  expect(statSync(join(kept(), 'timer')).mtimeMs).toBe(mtimeMs)
})

test('what other builds have kept goes after a month without use, and nothing else does', async () => {
  const { start, cache, kept } = elsewhere()
  await start('status')
  const place = join(cache, 'tt')
  const long = new Date(Date.now() - 40 * 24 * 3600 * 1000)
  for (const name of ['0123456789abcdef-old', 'fedcba9876543210-new', 'of-another-program']) {
    mkdirSync(join(place, name))
    if (!name.endsWith('new')) utimesSync(join(place, name), long, long)
  }
  await start('links')
  expect(readdirSync(place).sort()).toEqual(
    [basename(kept()), 'fedcba9876543210-new', 'of-another-program'].sort(),
  )
})

test('what is damaged is not taken', async () => {
  const { start, kept } = elsewhere()
  await start('status')
  for (const file of readdirSync(kept())) writeFileSync(join(kept(), file), 'x'.repeat(5000))
  expect(await start('status')).toMatchObject({ status: 0 })
})

test('a directory that others can write is not used, and one that cannot be made is no matter', async () => {
  const open = elsewhere()
  await open.start('status')
  chmodSync(open.kept(), 0o777)
  await open.start('links')
  expect(readdirSync(open.kept())).not.toContain('links.ran')

  const none = elsewhere()
  mkdirSync(join(none.cache, '..'), { recursive: true })
  writeFileSync(none.cache, 'a file')
  expect(await none.start('status')).toMatchObject({ status: 0 })
})
