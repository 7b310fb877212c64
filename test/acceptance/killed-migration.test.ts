import { spawn } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync, watch } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { schemaVersion } from '../../src/cache/state-schema.js'
import {
  changeNumbers,
  deliveredEntries,
  inspectVersion,
  remainingNumbers,
  setUpPreviousState,
} from '../support/previous-state.js'
import { bin, cleanEnvironment, temporaryDirectory, tt, waitForExit } from '../support/process.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'

const killCount = 12

test('a start after a killed migration migrates the state, and each change is delivered once', async () => {
  const seed = chooseSeed('killed migration')
  const random = new SeededRandom(seed)
  // Large enough for a slow migration.
  const setup = await setUpPreviousState("INSERT INTO snapshot VALUES ('large', hex(zeroblob(10000000)), 0)")
  const { home, env } = setup.cli
  const statePath = relative(home, setup.path)
  const { TT_BASE_URL = '', TT_TOKEN = '' } = env
  const account = { TT_BASE_URL, TT_TOKEN }
  const copyHome = () => {
    const copy = temporaryDirectory()
    cpSync(home, copy, { recursive: true })
    return copy
  }
  const list = async (ttHome: string) => {
    const { status, stdout, stderr } = await tt(ttHome, ['sync', 'list', '--json'], account)
    expect({ seed, status, stderr }).toEqual({ seed, status: 0, stderr: '' })
    return (JSON.parse(stdout) as { id: number }[]).map(({ id }) => id)
  }

  const startMs = performance.now()
  await list(copyHome())
  const durationMs = performance.now() - startMs
  let ttHome = home
  let interrupted = 0
  for (let kill = 1; kill <= killCount; kill++) {
    if (ttHome !== home) rmSync(ttHome, { recursive: true })
    ttHome = copyHome()
    const path = join(ttHome, statePath)
    const child = spawn(process.execPath, [bin, 'sync', 'list'], {
      env: cleanEnvironment({ ...account, TT_HOME: ttHome }),
      stdio: 'ignore',
    })
    let timer: NodeJS.Timeout | undefined
    const killWithin = (limitMs: number) => {
      timer ??= setTimeout(() => child.kill('SIGKILL'), random.next() * limitMs)
    }
    // Half of the kills are at any time, the others after the migration has begun to copy the state.
    if (kill % 2 === 0) killWithin(durationMs)
    const watcher = watch(dirname(path), (_, name) => {
      if (name?.startsWith('state.db.version-6')) killWithin(30)
    })
    await waitForExit(child)
    clearTimeout(timer)
    watcher.close()
    const hasCopy = readdirSync(dirname(path)).some((name) => name.startsWith('state.db.version-6'))
    const { version, integrity } = await inspectVersion(path)
    expect({ seed, kill, integrity }).toEqual({ seed, kill, integrity: 'ok' })
    expect([6, schemaVersion]).toContain(version)
    if (hasCopy && version === 6) interrupted++
    expect(await list(ttHome)).toEqual(changeNumbers)
    expect(await inspectVersion(path)).toEqual({ version: schemaVersion, integrity: 'ok' })
    expect(existsSync(`${path}.version-6`)).toBe(true)
  }
  expect(interrupted, seed).toBeGreaterThanOrEqual(2)

  await tt(ttHome, ['sync'], account)
  expect(await setup.entries()).toEqual(deliveredEntries)
  expect(await setup.expenses()).toMatchObject([{ id: 1, amount: '20.00' }])
  expect(await list(ttHome)).toEqual(remainingNumbers)
})
