import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Desk, newDesk } from '../support/desk.js'
import { deskThere, keptIn, loginByKey, newService, profilesOf, type Service } from './signed-in.js'

async function twoAccounts(): Promise<{ desk: Desk; service: Service }> {
  const [service, desk] = [await newService(), deskThere()]
  for (const name of ['acme', 'beta']) await loginByKey(desk, service.url, '--profile', name)
  return { desk, service }
}

const currents = async (desk: Desk) =>
  (await desk.json<{ name: string; current: boolean }[]>('profiles'))
    .filter(({ current }) => current)
    .map(({ name }) => name)

const directoryFile = (desk: Desk, value: unknown) =>
  writeFileSync(join(desk.home, '.tt.json'), typeof value === 'string' ? value : JSON.stringify(value))

describe('profiles', () => {
  test('lists the local workspace and every account, and which one is in force', async () => {
    const { desk, service } = await twoAccounts()
    expect(await desk.json('profiles', 'list')).toEqual([
      { name: 'local', current: false, base_url: null, method: 'local' },
      { name: 'acme', current: false, base_url: service.url, method: 'key' },
      { name: 'beta', current: true, base_url: service.url, method: 'key' },
    ])
    desk.env.TT_PROFILE = 'acme'
    expect(await currents(desk)).toEqual(['acme'])
    Object.assign(desk.env, { TT_BASE_URL: service.url, TT_TOKEN: 'x' })
    expect(await currents(desk)).toEqual(['environment'])
  })

  test('lists what there is even where a name is in force that is not there', async () => {
    const { desk } = await twoAccounts()
    desk.env.TT_PROFILE = 'gone'
    const outcome = await desk.tt('profiles', '--json')
    expect(outcome).toMatchObject({ status: 0, stderr: expect.stringContaining('which TT_PROFILE names') })
    expect(outcome.json()).toHaveLength(3)
    expect((await desk.tt('profiles', 'use', 'acme')).status).toBe(0)
    expect((await desk.tt('log')).status).toBe(3)
  })

  test('use makes one the current one, and says what goes before it here', async () => {
    const { desk } = await twoAccounts()
    for (const name of ['acme', 'local', 'beta']) {
      expect(await desk.tt('profiles', 'use', name)).toMatchObject({ status: 0, stdout: '' })
      expect(await currents(desk)).toEqual([name])
    }
    desk.env.TT_PROFILE = 'acme'
    expect((await desk.tt('profiles', 'use', 'beta')).stderr).toContain('"acme" goes before it')
    expect(await desk.tt('profiles', 'use', 'gone')).toMatchObject({ status: 3 })
  })

  test('rm signs out and forgets, once it is confirmed', async () => {
    const { desk } = await twoAccounts()
    expect(await desk.tt('profiles', 'rm', 'beta')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--yes'),
    })
    expect(await desk.tt('profiles', 'rm', 'beta', '--yes')).toMatchObject({ status: 0 })
    expect(keptIn(desk)).toEqual(['credentials/acme.json', 'profiles.json'])
    expect([Object.keys(profilesOf(desk).profiles), await currents(desk)]).toEqual([['acme'], ['local']])
    expect(await desk.tt('profiles', 'rm', 'beta', '--yes')).toMatchObject({ status: 3 })
    expect(await desk.tt('profiles', 'rm', 'local', '--yes')).toMatchObject({ status: 2 })
  })

  test('each account has its own time', async () => {
    const { desk } = await twoAccounts()
    await desk.tt('start', 'Website/Design', '--profile', 'local')
    expect(await desk.json('status', '--profile', 'local')).toMatchObject({ task: 'Design' })
    expect(await desk.json('status')).toBeNull()
  })
})

describe('the directory file', () => {
  test('chooses one of the user’s own profiles; TT_PROFILE and --profile go before it', async () => {
    const { desk } = await twoAccounts()
    directoryFile(desk, { profile: 'acme' })
    expect(await currents(desk)).toEqual(['acme'])
    expect(await desk.json('whoami', '--profile', 'beta')).toMatchObject({ profile: 'beta' })
    desk.env.TT_PROFILE = 'local'
    expect(await currents(desk)).toEqual(['local'])
  })

  test('is named where no profile has the name that it gives', async () => {
    const desk = newDesk()
    directoryFile(desk, { profile: 'theirs' })
    expect(await desk.tt('log')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining(`"theirs", which ${join(desk.home, '.tt.json')} names`),
    })
  })

  test('sets no address, no credential and no command: it is told and not used', async () => {
    const { desk, service } = await twoAccounts()
    const theirs = { base_url: 'http://127.0.0.1:1/api/v1', token: 'theirs', pager: 'touch pwned' }
    directoryFile(desk, { profile: 'acme', ...theirs })
    const outcome = await desk.tt('whoami', '--json')
    expect(outcome.json()).toMatchObject({ base_url: service.url, company: 'Acme' })
    expect(outcome.stderr).toContain('base_url, token, pager')
  })

  test('gives start its task and notes, and add its notes; what is typed goes before', async () => {
    const desk = newDesk('2024-05-01T09:30:00')
    await desk.tt('start', 'Website/Design', '--at', '9:00')
    await desk.tt('start', 'Website/Review', '--at', '9:10')
    directoryFile(desk, { task: 'Website/Design', notes: 'from the file' })
    expect(await desk.json('start')).toMatchObject({ task: 'Design', notes: 'from the file' })
    expect(await desk.json('start', 'review', '-n', 'typed')).toMatchObject({
      task: 'Review',
      notes: 'typed',
    })
    const add = ['add', 'review', '--from', '8:00', '--for', '30m']
    expect(await desk.json(...add)).toMatchObject({ notes: 'from the file' })
    expect(await desk.json(...add, '-n', 'typed')).toMatchObject({ notes: 'typed' })
  })

  test('is named where its task cannot be found', async () => {
    const desk = newDesk()
    await desk.tt('start', 'Website/Design')
    directoryFile(desk, { task: 'nothing like it' })
    expect(await desk.tt('start')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`It is the task of ${join(desk.home, '.tt.json')}.`),
    })
  })

  test('that is damaged is told before anybody signs in', async () => {
    const [service, desk] = [await newService(), deskThere()]
    directoryFile(desk, '{')
    const outcome = await loginByKey(desk, service.url)
    expect(outcome).toMatchObject({ status: 2, stderr: expect.stringContaining('.tt.json is not JSON') })
    expect([keptIn(desk), existsSync(join(desk.home, 'locks'))]).toEqual([[], false])
  })

  test('that goes before the profile just signed in to is told of', async () => {
    const { desk, service } = await twoAccounts()
    directoryFile(desk, { profile: 'beta' })
    const outcome = await loginByKey(desk, service.url, '--profile', 'acme')
    expect(outcome.stderr).toContain('.tt.json names the profile "beta", which goes before it')
  })
})
