import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { configLockPath, pathsFor } from '../../src/config/paths.js'
import { setWaitListener, withLock } from '../../src/lib/lock.js'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { sql } from '../../src/service/storage/sql.js'
import { createSqliteQueries } from '../../src/service/storage/sqlite.js'
import { bundleScript } from '../support/bundle-script.js'
import { root, run, temporaryDirectory, waitForExit } from '../support/process.js'
import { createTestCli } from '../support/test-cli.js'
import { unprivilegedArguments } from '../support/unprivileged.js'
import { rejectionOf } from '../unit/api-client/test-server.js'

/** A script that acquires the lock of its argument, prints a line, and holds the lock until standard input ends. */
const holder = `
  import { withLock } from './src/lib/lock.ts'
  await withLock(process.argv[2], async () => {
    console.log('locked')
    await new Promise((resolve) => process.stdin.on('end', resolve).resume())
  })
  console.log('free')
`

/** Starts a process and resolves after its first line of output. */
async function hold(file: string, path: string) {
  const child = spawn(process.execPath, [file, path], { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = waitForExit(child)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve))
  return { child, ended }
}

test('withLock passes on the result or error of the work and releases the lock', async () => {
  const path = join(temporaryDirectory(), 'not', 'there', 'lock')
  expect(await withLock(path, async () => 7)).toBe(7)
  await expect(withLock(path, () => Promise.reject(new Error('of the work')))).rejects.toThrow('of the work')
  expect(await withLock(path, async () => 8, { waitMs: 0 })).toBe(8)
})

test('one of many processes holds the lock at a time', async () => {
  const directory = temporaryDirectory()
  const counter = join(directory, 'counter')
  writeFileSync(counter, '0')
  // Reads, waits and writes, so that two processes at once would lose an update.
  const counting = await bundleScript(`
    import { readFileSync, writeFileSync } from 'node:fs'
    import { setTimeout as pause } from 'node:timers/promises'
    import { withLock } from './src/lib/lock.ts'
    for (let turn = 0; turn < 5; turn++) {
      await withLock(process.argv[2], async () => {
        const before = Number(readFileSync(process.argv[3], 'utf8'))
        await pause(Math.random() * 5)
        writeFileSync(process.argv[3], String(before + 1))
      })
    }
  `)
  const processes = Array.from({ length: 10 }, () =>
    run(process.execPath, [counting, join(directory, 'lock'), counter]),
  )
  for (const outcome of await Promise.all(processes)) expect(outcome).toMatchObject({ status: 0, stderr: '' })
  expect(readFileSync(counter, 'utf8')).toBe('50')
})

test('one of many callers in a process holds the lock at a time', async () => {
  const path = join(temporaryDirectory(), 'lock')
  let [inside, most] = [0, 0]
  const turn = () =>
    withLock(path, async () => {
      most = Math.max(most, ++inside)
      await new Promise((resolve) => setImmediate(resolve))
      inside--
    })
  await Promise.all(Array.from({ length: 10 }, turn))
  expect(most).toBe(1)
})

test('killing a process releases its lock', async () => {
  const path = join(temporaryDirectory(), 'lock')
  const file = await bundleScript(holder)
  for (let turn = 0; turn < 3; turn++) {
    const { child, ended } = await hold(file, path)
    expect((await rejectionOf(withLock(path, async () => 'mine', { waitMs: 0 }))).code).toBe('failure')
    child.kill('SIGKILL')
    await ended
    expect(await withLock(path, async () => 'mine', { waitMs: 1_000 })).toBe('mine')
  }
})

test('withLock throws without running the work when the lock is not released in time', async () => {
  const path = join(temporaryDirectory(), 'lock')
  await hold(await bundleScript(holder), path)
  let begun = false
  const work = async () => {
    begun = true
  }
  const since = performance.now()
  expect(await rejectionOf(withLock(path, work, { waitMs: 300 }))).toMatchObject({
    code: 'failure',
    message: `Another tt process did not release the lock ${path} in time.`,
    hint: 'End that process, or repeat the command when it has finished.',
  })
  expect(performance.now() - since).toBeGreaterThan(300)
  expect(begun).toBe(false)
})

test('timers run during the wait, and the lock is acquired after its release', async () => {
  const path = join(temporaryDirectory(), 'lock')
  const { child, ended } = await hold(await bundleScript(holder), path)
  let ticks = 0
  const ticking = setInterval(() => {
    // Only a timer that runs during the wait makes the other process release the lock.
    if (++ticks === 10) child.stdin.end()
  }, 10)
  onTestFinished(() => clearInterval(ticking))
  expect(await withLock(path, async () => ticks)).toBeGreaterThanOrEqual(10)
  expect(await ended).toMatchObject({ status: 0, stdout: 'locked\nfree\n' })
})

test.each([
  ['says so', [], /^Waiting for another tt process to finish\.\n/],
  ['prints nothing with --quiet', ['--quiet'], /^$/],
])('a command that waits for a second for another process %s', async (_, options, stderr) => {
  const cli = createTestCli()
  const set = (...words: string[]) => cli.run('config', 'set', 'week_start', 'sunday', ...words)
  const path = configLockPath(pathsFor(cli.env))
  await set() // Loads the modules of the command, so that the wait begins at once.
  const { command } = await withLock(path, async () => {
    const started = { command: set(...options) }
    await pause(1_300)
    return started
  })
  expect(await command).toMatchObject({ status: 0, stderr: expect.stringMatching(stderr) })
  expect((await set()).stderr).not.toContain('Waiting')
})

test('a connection reports that it waits for a transaction of another one, once', async () => {
  const path = join(temporaryDirectory(), 'state.db')
  const [holder, waiter] = [await openSqlite(path), await openSqlite(path, { busyTimeoutMs: 2_100 })]
  const texts: string[] = []
  const previous = setWaitListener((text) => texts.push(text))
  onTestFinished(() => {
    setWaitListener(previous)
    waiter.close()
    holder.close()
  })
  holder.exec('CREATE TABLE a (b); BEGIN IMMEDIATE')
  const since = performance.now()
  expect(() => waiter.exec('BEGIN IMMEDIATE')).toThrow('Another program keeps the database')
  expect(performance.now() - since).toBeGreaterThan(2_000)
  expect(texts).toEqual([`Waiting: another program keeps the database ${path} locked.`])
})

test.each([
  ['of a connection that waits itself', undefined],
  ['of the local workspace', { lockMs: 2_100 }],
])('a transaction %s waits for another program as long as a statement', async (_, limits) => {
  const path = join(temporaryDirectory(), 'workspace.db')
  const [holder, waiter] = [await openSqlite(path), await openSqlite(path, { busyTimeoutMs: 2_100 })]
  onTestFinished(() => {
    waiter.close()
    holder.close()
  })
  holder.exec('CREATE TABLE a (b); BEGIN IMMEDIATE')
  const queries = createSqliteQueries(waiter, limits)
  for (const wait of [
    () => queries.all(sql`delete from a`),
    () => queries.transaction((transaction) => transaction.all(sql`delete from a`)),
  ]) {
    const startMs = performance.now()
    await expect(wait()).rejects.toThrow('Another program keeps the database')
    expect(performance.now() - startMs).toBeGreaterThan(2_000)
  }
  holder.exec('ROLLBACK')
  await queries.transaction((transaction) => transaction.all(sql`delete from a`))
})

test('tt admin names the locked database, and the next step', async () => {
  const cli = createTestCli()
  const path = join(cli.home, 'team.db')
  expect(await cli.run('admin', 'company', '--database', `sqlite:${path}`)).toMatchObject({ status: 0 })
  const holder = await openSqlite(path)
  onTestFinished(() => holder.close())
  holder.exec('BEGIN IMMEDIATE')
  const failed = await cli.run('admin', 'projects', 'add', 'Website', '--database', `sqlite:${path}`)
  expect(failed).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(
      `error: Another program keeps the database ${path} locked.\nNothing was saved.`,
    ),
  })
})

test('Ctrl-C interrupts the wait', async () => {
  const path = join(temporaryDirectory(), 'lock')
  await hold(await bundleScript(holder), path)
  const waiter = await bundleScript(`
    import { withLock } from './src/lib/lock.ts'
    process.on('SIGINT', () => process.exit(42))
    setTimeout(() => console.log('waiting'), 20)
    await withLock(process.argv[2], async () => console.log('locked'))
  `)
  const { child, ended } = await hold(waiter, path)
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ status: 42, stdout: 'waiting\n' })
})

test('withLock reports a directory that is not writable', async ({ skip }) => {
  if (unprivilegedArguments === undefined)
    return skip('root may write everywhere: the closed directory is not tried')
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'closed'), { mode: 0o500 })
  const file = await bundleScript(`
    import { withLock } from './src/lib/lock.ts'
    await withLock(process.argv[2], async () => {}).catch(({ code, message }) => console.log(code, message))
  `)
  const path = join(directory, 'closed', 'lock')
  const outcome = await run('env', [...unprivilegedArguments, process.execPath, file, path], { cwd: root })
  expect(outcome).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^failure The database .*closed\/lock cannot be opened for writing\.\n$/),
  })
})
