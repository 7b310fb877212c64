import { spawn } from 'node:child_process'
import { cpSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { schemaVersion } from '../../src/outbox/cache/state-schema.js'
import {
  changeNumbers,
  deliveredEntries,
  inspectVersion,
  remainingNumbers,
  setUpPreviousState,
} from '../support/previous-state.js'
import { bin, cleanEnvironment, root, temporaryDirectory, tt, waitForExit } from '../support/process.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'

const preload = ['--require', join(root, 'test/acceptance/kill-at-migration.cjs')]
const randomKills = 6

/** Sets up a large state of the previous version, which takes long to migrate, and functions that use copies of it. */
async function setUpLargeState() {
  const setup = await setUpPreviousState("INSERT INTO snapshot VALUES ('large', hex(zeroblob(10000000)), 0)")
  const { TT_BASE_URL = '', TT_TOKEN = '' } = setup.cli.env
  const account = { TT_BASE_URL, TT_TOKEN }
  const createCopy = () => {
    const home = temporaryDirectory()
    cpSync(setup.cli.home, home, { recursive: true })
    return { home, path: join(home, relative(setup.cli.home, setup.path)) }
  }
  const spawnList = (home: string, env: Record<string, string> = {}, options: string[] = []) =>
    spawn(process.execPath, [...options, bin, 'sync', 'list'], {
      env: cleanEnvironment({ ...account, ...env, TT_HOME: home }),
      stdio: 'ignore',
    })
  const list = async (home: string) => {
    const { status, stdout, stderr } = await tt(home, ['sync', 'list', '--json'], account)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return (JSON.parse(stdout) as { id: number }[]).map(({ id }) => id)
  }
  /** Checks that the next command migrates the state, and keeps a copy of it. */
  const expectNextMigrates = async ({ home, path }: { home: string; path: string }) => {
    expect(await list(home)).toEqual(changeNumbers)
    expect(await inspectVersion(path)).toEqual({ version: schemaVersion, integrity: 'ok' })
    expect(await inspectVersion(`${path}.version-6`)).toEqual({ version: 6, integrity: 'ok' })
  }
  const expectDeliveredOnce = async (home: string) => {
    await tt(home, ['sync'], account)
    expect(await setup.entries()).toEqual(deliveredEntries)
    expect(await setup.expenses()).toMatchObject([{ id: 1, amount: '20.00' }])
    expect(await list(home)).toEqual(remainingNumbers)
  }
  return { createCopy, spawnList, expectNextMigrates, expectDeliveredOnce }
}

test.each([
  ['while the state is copied', 'copy', ['unfinished']],
  ['before the copy gets its name', 'rename', ['unfinished']],
  ['before the migration is committed', 'commit', ['complete']],
])('the command after a migration that was killed %s migrates and delivers once', async (_, step, copies) => {
  const { createCopy, spawnList, expectNextMigrates, expectDeliveredOnce } = await setUpLargeState()
  const state = createCopy()
  const { signal } = await waitForExit(spawnList(state.home, { TT_KILL_AT: step }, preload))
  expect(signal).toBe('SIGKILL')
  const files = readdirSync(dirname(state.path)).filter((name) => /\.version-6(\.\d+)?$/.test(name))
  expect(files.map((name) => (name.endsWith('-6') ? 'complete' : 'unfinished'))).toEqual(copies)
  expect(statSync(join(dirname(state.path), String(files[0]))).size).toBeGreaterThan(0)
  expect(await inspectVersion(state.path)).toEqual({ version: 6, integrity: 'ok' })
  await expectNextMigrates(state)
  await expectDeliveredOnce(state.home)
})

test('the command after a migration that was killed at any moment migrates and delivers once', async () => {
  const seed = chooseSeed('killed migration')
  const random = new SeededRandom(seed)
  const { createCopy, spawnList, expectNextMigrates, expectDeliveredOnce } = await setUpLargeState()
  const startMs = performance.now()
  await waitForExit(spawnList(createCopy().home))
  const durationMs = performance.now() - startMs
  let state = createCopy()
  for (let kill = 1; kill <= randomKills; kill++) {
    state = createCopy()
    const child = spawnList(state.home)
    const timer = setTimeout(() => child.kill('SIGKILL'), random.next() * durationMs)
    await waitForExit(child)
    clearTimeout(timer)
    const { version, integrity } = await inspectVersion(state.path)
    expect({ seed, kill, integrity }).toEqual({ seed, kill, integrity: 'ok' })
    expect([6, schemaVersion], `seed ${seed}, kill ${kill}`).toContain(version)
    await expectNextMigrates(state)
  }
  await expectDeliveredOnce(state.home)
})
