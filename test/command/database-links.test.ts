import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Check } from '../../src/commands/views/check.js'
import { clientStatePath, pathsFor } from '../../src/config/paths.js'
import { selectProfile, statePathOf } from '../../src/config/profile.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { setUpService } from './service-fixtures.js'

const pathOf = ({ env }: TestCli) => statePathOf(pathsFor(env), selectProfile(env).stateKey)

async function createTrackedCli(): Promise<TestCli> {
  const cli = createTestCli()
  await cli.json('add', 'Website/Design', '--from', '08:00', '--for', '1h', '-n', 'dear')
  return cli
}

/** Moves a database to another directory, as if to another disk, and links to it. */
function moveAway(cli: TestCli, path: string): { mounted: string; unmount(): void; mount(): void } {
  const [mounted, unmounted] = [join(cli.home, 'disk'), join(cli.home, 'unmounted')]
  const target = join(mounted, 'moved.db')
  mkdirSync(mounted)
  // The write-ahead log is a part of the database.
  for (const end of ['', '-wal'])
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${target}${end}`)
  symlinkSync(target, path)
  return {
    mounted,
    unmount() {
      renameSync(mounted, unmounted)
      mkdirSync(mounted) // The empty mount point.
    },
    mount() {
      renameSync(unmounted, mounted)
    },
  }
}

const commands = [
  ['log'],
  ['start', 'Website/Design'],
  ['stop'],
  ['add', 'Website/Design', '--from', '07:00', '--for', '10m'],
  ['undo', '--list'],
  ['report'],
  ['sync'],
]

async function expectLinkError(cli: TestCli, path: string, argv: string[]) {
  const { status, stdout, stderr } = await cli.run(...argv)
  expect({ argv, status, stdout, stderr }).toEqual({
    argv,
    status: 1,
    stdout: '',
    stderr: expect.stringContaining(`The database ${path} cannot be opened: it is a symbolic link`),
  })
  expect(stderr).toContain('Nothing was saved.')
}

async function expectDoctorError(cli: TestCli, name: 'workspace' | 'state') {
  const outcome = await cli.run('doctor', '--json')
  expect(outcome.status).toBe(1)
  expect((outcome.json() as Check[]).find(({ check }) => check === name)).toMatchObject({
    state: 'error',
    message: expect.stringContaining('is a symbolic link'),
  })
}

describe('a workspace database that is a symbolic link', () => {
  test('fails commands while its target is missing, and works again afterwards', async () => {
    const cli = await createTrackedCli()
    const path = pathOf(cli)
    const disk = moveAway(cli, path)
    disk.unmount()
    for (const argv of commands) await expectLinkError(cli, path, argv)
    await expectDoctorError(cli, 'workspace')
    expect(readdirSync(disk.mounted)).toEqual([])
    disk.mount()
    expect(await cli.json('log')).toMatchObject([{ notes: 'dear' }])
  })

  test.each(['workspace', 'state'] as const)(
    'fails commands when it was a link before the first use of a %s',
    async (name) => {
      const cli = createTestCli()
      if (name === 'state')
        Object.assign(cli.env, { TT_BASE_URL: 'http://127.0.0.1:9/api/v1', TT_TOKEN: 'unused' })
      const path = pathOf(cli)
      const target = join(cli.home, 'elsewhere.db')
      mkdirSync(join(path, '..'), { recursive: true })
      symlinkSync(target, path)
      for (const argv of [['log'], ['start', 'Website/Design']]) await expectLinkError(cli, path, argv)
      await expectDoctorError(cli, name)
      expect(existsSync(target)).toBe(false)
    },
  )

  test('fails commands when it links to itself', async () => {
    const cli = await createTrackedCli()
    const path = pathOf(cli)
    renameSync(path, `${path}.old`)
    symlinkSync(path, path)
    for (const argv of [['log'], ['start', 'Website/Design']]) await expectLinkError(cli, path, argv)
    await expectDoctorError(cli, 'workspace')
  })

  test('works while its target is a file', async () => {
    const cli = await createTrackedCli()
    moveAway(cli, pathOf(cli))
    expect(await cli.json('log')).toMatchObject([{ notes: 'dear' }])
    expect(await cli.run('start', 'Website/Design')).toMatchObject({ status: 0 })
    expect(await cli.run('doctor')).toMatchObject({ status: 0 })
  })
})

test('pending changes survive while their disk is not mounted', async () => {
  const { cli, proxy, entries } = await setUpService()
  await proxy.close()
  await cli.json('add', 'Website/Design', '--from', '08:00', '--for', '1h', '-n', 'pending')
  await proxy.open()
  const [key = ''] = readdirSync(join(pathsFor(cli.env).state, 'profiles'))
  const path = clientStatePath(pathsFor(cli.env), key)
  const disk = moveAway(cli, path)
  disk.unmount()
  for (const argv of [['start', 'Design'], ['sync'], ['status'], ['status', '--cached']])
    await expectLinkError(cli, path, argv)
  disk.mount()
  expect(await cli.run('sync')).toMatchObject({ status: 0 })
  expect(await entries()).toMatchObject([{ notes: 'pending' }])
})

test('a directory profiles that is a dangling symbolic link fails commands of a service without a stack trace', async () => {
  const cli = createTestCli()
  Object.assign(cli.env, { TT_BASE_URL: 'http://127.0.0.1:9/api/v1', TT_TOKEN: 'unused' })
  symlinkSync(join(cli.home, 'missing'), join(pathsFor(cli.env).state, 'profiles'))
  const { status, stderr } = await cli.run('start', 'Website/Design')
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('cannot be opened') })
  expect(existsSync(join(cli.home, 'missing'))).toBe(false)
})
