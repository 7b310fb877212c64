import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Check } from '../../src/commands/views/check.js'
import { clientStatePath, pathsFor, workspacePath } from '../../src/config/paths.js'
import { type Desk, newDesk } from '../support/test-cli.js'
import { openOffice } from './service-fixtures.js'

const pathOf = {
  workspace: ({ env }: Desk) => workspacePath(pathsFor(env)),
  state: ({ env }: Desk) => clientStatePath(pathsFor(env), 'local'),
}
const names = ['workspace', 'state'] as const

async function trackedDesk(): Promise<Desk> {
  const desk = newDesk()
  await desk.json('add', 'Website/Design', '--from', '08:00', '--for', '1h', '-n', 'dear')
  return desk
}

/** Moves a database to another directory, as if to another disk, and links to it. */
function moveAway(desk: Desk, path: string): { mounted: string; unmount(): void; mount(): void } {
  const [mounted, unmounted] = [join(desk.home, 'disk'), join(desk.home, 'unmounted')]
  const target = join(mounted, 'moved.db')
  mkdirSync(mounted)
  // The log belongs to the database.
  for (const end of ['', '-wal'])
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${target}${end}`)
  symlinkSync(target, path)
  return {
    mounted,
    unmount() {
      renameSync(mounted, unmounted)
      mkdirSync(mounted) // The mount point, which is an empty directory.
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

async function expectRefusal(desk: Desk, path: string, argv: string[]) {
  const { status, stdout, stderr } = await desk.tt(...argv)
  expect({ argv, status, stdout, stderr }).toEqual({
    argv,
    status: 1,
    stdout: '',
    stderr: expect.stringContaining(`The database ${path} cannot be opened: it is a symbolic link`),
  })
  expect(stderr).toContain('Nothing was saved.')
}

async function expectTrouble(desk: Desk, name: (typeof names)[number]) {
  const outcome = await desk.tt('doctor', '--json')
  expect(outcome.status).toBe(1)
  expect((outcome.json() as Check[]).find(({ check }) => check === name)).toMatchObject({
    state: 'error',
    message: expect.stringContaining('is a symbolic link'),
  })
}

describe.each(names)('a %s database that is a symbolic link', (name) => {
  test('fails commands while its target is missing, and works again afterwards', async () => {
    const desk = await trackedDesk()
    const path = pathOf[name](desk)
    const disk = moveAway(desk, path)
    disk.unmount()
    for (const argv of commands) await expectRefusal(desk, path, argv)
    await expectTrouble(desk, name)
    expect(readdirSync(disk.mounted)).toEqual([])
    disk.mount()
    expect(await desk.json('log')).toMatchObject([{ notes: 'dear' }])
  })

  test('fails commands when it was a link before the first use', async () => {
    const desk = newDesk()
    const path = pathOf[name](desk)
    const target = join(desk.home, 'elsewhere.db')
    mkdirSync(join(path, '..'), { recursive: true })
    symlinkSync(target, path)
    for (const argv of commands) await expectRefusal(desk, path, argv)
    await expectTrouble(desk, name)
    expect(existsSync(target)).toBe(false)
  })

  test('fails commands when it links to itself', async () => {
    const desk = await trackedDesk()
    const path = pathOf[name](desk)
    renameSync(path, `${path}.old`)
    symlinkSync(path, path)
    for (const argv of commands) await expectRefusal(desk, path, argv)
    await expectTrouble(desk, name)
  })

  test('works while its target is a file', async () => {
    const desk = await trackedDesk()
    moveAway(desk, pathOf[name](desk))
    expect(await desk.json('log')).toMatchObject([{ notes: 'dear' }])
    expect(await desk.tt('start', 'Website/Design')).toMatchObject({ status: 0 })
    expect(await desk.tt('doctor')).toMatchObject({ status: 0 })
  })
})

test('pending changes survive while their disk is not mounted', async () => {
  const { desk, proxy, entries } = await openOffice()
  await proxy.close()
  await desk.json('add', 'Website/Design', '--from', '08:00', '--for', '1h', '-n', 'pending')
  await proxy.open()
  const [key = ''] = readdirSync(join(pathsFor(desk.env).state, 'profiles'))
  const path = clientStatePath(pathsFor(desk.env), key)
  const disk = moveAway(desk, path)
  disk.unmount()
  for (const argv of [['start', 'Design'], ['sync'], ['status'], ['status', '--cached']])
    await expectRefusal(desk, path, argv)
  disk.mount()
  expect(await desk.tt('sync')).toMatchObject({ status: 0 })
  expect(await entries()).toMatchObject([{ notes: 'pending' }])
})

test.each(['profiles', join('profiles', 'local')])(
  'a directory %s that is a dangling symbolic link fails commands in plain words',
  async (name) => {
    const desk = newDesk()
    const path = join(pathsFor(desk.env).state, name)
    mkdirSync(join(path, '..'), { recursive: true })
    symlinkSync(join(desk.home, 'missing'), path)
    const { status, stderr } = await desk.tt('start', 'Website/Design')
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('cannot be opened') })
    expect(existsSync(join(desk.home, 'missing'))).toBe(false)
  },
)
