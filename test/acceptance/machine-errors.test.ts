import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bin, cleanEnvironment, run, temporaryDirectory, tt, ttJson } from '../support/process.js'
import { mountSmallDisk } from '../support/small-disk.js'
import { unprivilegedArguments } from '../support/unprivileged.js'

test('a user without a home directory gets an error that names the variables', async ({ skip }) => {
  skip(process.getuid?.() !== 0, 'only root can run a program as another user')
  // Without an entry in the user database.
  const user = { uid: 54_321, gid: 54_321 }
  const canRun = spawnSync(process.execPath, ['--check', bin], { ...user, cwd: '/' }).status === 0
  skip(!canRun, 'other users cannot run Node or read the program here')
  const { PATH } = process.env
  const rejected = await run(process.execPath, [bin, 'status'], { ...user, env: { PATH }, cwd: '/' })
  expect(rejected).toMatchObject({ status: 2, stdout: '' })
  expect(rejected.stderr).toContain('This user has no home directory.')
  expect(rejected.stderr).toContain('Set HOME, or TT_HOME')
  const home = temporaryDirectory()
  chmodSync(home, 0o777)
  const env = { PATH, TT_HOME: home }
  const accepted = await run(process.execPath, [bin, 'status'], { ...user, env, cwd: '/' })
  expect(accepted).toMatchObject({ status: 0 })
})

const notWritable = {
  status: 1,
  stdout: '',
  stderr: expect.stringContaining('cannot be opened for writing'),
}

test('a home that is a file is an error', async () => {
  const home = join(temporaryDirectory(), 'file')
  writeFileSync(home, '')
  expect(await tt(home, ['start', 'Website/Design'])).toMatchObject(notWritable)
})

test('a read-only directory is an error', async ({ skip }) => {
  const home = temporaryDirectory()
  if (unprivilegedArguments === undefined) return skip('root can write to read-only directories')
  chmodSync(home, 0o500)
  const argv = [...unprivilegedArguments, process.execPath, bin, 'start', 'Website/Design']
  const rejected = await run('env', argv, { env: cleanEnvironment({ TT_HOME: home }) })
  expect(rejected).toMatchObject(notWritable)
})

test('a read-only file system is an error', async ({ skip }) => {
  const home = mountSmallDisk(4)
  if (home === undefined) return skip('requires permission to mount a file system')
  await tt(home, ['start', 'Website/Design'])
  spawnSync('mount', ['-o', 'remount,ro', home])
  expect(await tt(home, ['stop'])).toMatchObject(notWritable)
})

test('a rejected disk write exits with 1 without a success message, and existing data remains', async () => {
  const home = temporaryDirectory()
  await tt(home, ['start', 'Website/Design', '-n', 'dear'])
  await tt(home, ['stop'])
  const notes = 'x'.repeat(60_000)
  // The file size limit, in kilobytes, is less than the notes, and enough for a new database.
  const script = `trap '' XFSZ; ulimit -f 40; "${process.execPath}" "${bin}" start Website/Design -n ${notes}`
  const rejected = await run('bash', ['-c', script], { env: cleanEnvironment({ TT_HOME: home }) })
  expect(rejected.stderr).toMatch(/error: The disk (reported an error|is full)/)
  expect(rejected).toMatchObject({ status: 1, stdout: '' })
  expect(rejected.stderr).not.toContain('Started')
  expect(await ttJson(home, 'log')).toMatchObject([{ notes: 'dear', running: false }])
})

test('two first commands at the same time create one workspace', async () => {
  const home = temporaryDirectory()
  const outcomes = await Promise.all(
    ['One', 'Two', 'Three', 'Four'].map((name) =>
      tt(home, ['add', `Project ${name}/Task`, '--from', '-1h', '--for', '30m']),
    ),
  )
  expect(outcomes.map(({ status, stderr }) => [status, status === 0 ? '' : stderr])).toEqual(
    Array(4).fill([0, '']),
  )
  expect(await ttJson(home, 'log')).toHaveLength(4)
})

test('too few file descriptors fail with one message, or the command works', async () => {
  const home = temporaryDirectory()
  await tt(home, ['start', 'Website/Design'])
  const empty = join(home, 'empty.cjs')
  writeFileSync(empty, '')
  const limited = (limit: number, ...argv: string[]) =>
    run('sh', ['-c', `ulimit -n ${limit}; exec "$@"`, 'sh', process.execPath, ...argv], {
      env: cleanEnvironment({ TT_HOME: home }),
    })
  const outcomes = new Set<number | null>()
  let isNodeRunning = false
  for (let limit = 10; limit <= 40; limit++) {
    // Node itself needs some descriptors.
    isNodeRunning ||= (await limited(limit, empty)).status === 0
    if (!isNodeRunning) continue
    for (const argv of [
      ['status', '--cached'],
      ['log', '--json'],
    ]) {
      const { status, stderr } = await limited(limit, bin, ...argv)
      outcomes.add(status)
      if (status === 0) continue
      expect({ limit, status, stderr }).toEqual({
        limit,
        status: 1,
        stderr: expect.stringContaining('`ulimit -n 256`'),
      })
      expect(stderr).not.toMatch(/panicked|permission|defect|^ +at /m)
    }
  }
  expect([...outcomes].sort()).toEqual([0, 1])
})
