import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rejection } from '../support/rejection.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import {
  createCliAtServiceTime,
  listAccountFiles,
  loginWithPassword,
  readProfiles,
  type Service,
  startService,
} from './login-fixtures.js'

async function signInToTwoAccounts(): Promise<{ cli: TestCli; service: Service }> {
  const [service, cli] = [await startService(), createCliAtServiceTime()]
  for (const name of ['acme', 'beta']) await loginWithPassword(cli, service.url, '--profile', name)
  return { cli, service }
}

const currentProfiles = async (cli: TestCli) =>
  (await cli.json<{ name: string; current: boolean }[]>('profiles'))
    .filter(({ current }) => current)
    .map(({ name }) => name)

const writeDirectoryFile = (cli: TestCli, value: unknown) =>
  writeFileSync(join(cli.home, '.tt.json'), typeof value === 'string' ? value : JSON.stringify(value))

describe('profiles', () => {
  test('lists the local workspace and all accounts, with the current one', async () => {
    const { cli, service } = await signInToTwoAccounts()
    expect(await cli.json('profiles', 'list')).toEqual([
      { name: 'local', current: false, base_url: null, method: 'local' },
      { name: 'acme', current: false, base_url: service.url, method: 'key' },
      { name: 'beta', current: true, base_url: service.url, method: 'key' },
    ])
    cli.env.TT_PROFILE = 'acme'
    expect(await currentProfiles(cli)).toEqual(['acme'])
    Object.assign(cli.env, { TT_BASE_URL: service.url, TT_TOKEN: 'x' })
    expect(await currentProfiles(cli)).toEqual(['environment'])
  })

  test('lists the profiles also when the chosen one does not exist', async () => {
    const { cli } = await signInToTwoAccounts()
    cli.env.TT_PROFILE = 'gone'
    const outcome = await cli.run('profiles', '--json')
    expect(outcome).toMatchObject({ status: 0, stderr: expect.stringContaining('which TT_PROFILE names') })
    expect(outcome.json()).toHaveLength(3)
    expect((await cli.run('profiles', 'use', 'acme')).status).toBe(0)
    expect((await cli.run('log')).status).toBe(3)
  })

  test('use changes the current profile, and prints what takes precedence', async () => {
    const { cli } = await signInToTwoAccounts()
    for (const name of ['acme', 'local', 'beta']) {
      expect(await cli.run('profiles', 'use', name)).toMatchObject({ status: 0, stdout: '' })
      expect(await currentProfiles(cli)).toEqual([name])
    }
    cli.env.TT_PROFILE = 'acme'
    expect((await cli.run('profiles', 'use', 'beta')).stderr).toContain('"acme" takes precedence')
    expect(await cli.run('profiles', 'use', 'gone')).toMatchObject({ status: 3 })
  })

  test('rm signs out and removes the profile after confirmation', async () => {
    const { cli } = await signInToTwoAccounts()
    expect(await cli.run('profiles', 'rm', 'beta')).toMatchObject(rejection(2, '--yes'))
    expect(await cli.run('profiles', 'rm', 'beta', '--yes')).toMatchObject({ status: 0 })
    expect(listAccountFiles(cli)).toEqual(['credentials/acme.json', 'profiles.json'])
    expect(Object.keys(readProfiles(cli).profiles)).toEqual(['acme'])
    expect(await currentProfiles(cli)).toEqual(['local'])
    expect(await cli.run('profiles', 'rm', 'beta', '--yes')).toMatchObject({ status: 3 })
    expect(await cli.run('profiles', 'rm', 'local', '--yes')).toMatchObject({ status: 2 })
  })

  test('each profile has its own entries', async () => {
    const { cli } = await signInToTwoAccounts()
    await cli.run('start', 'Website/Design', '--profile', 'local')
    expect(await cli.json('status', '--profile', 'local')).toMatchObject({ task: 'Design' })
    expect(await cli.json('status')).toBeNull()
  })
})

describe('the directory file', () => {
  test('sets no address, credential or command: such keys are ignored with a warning', async () => {
    const { cli, service } = await signInToTwoAccounts()
    const theirs = { base_url: 'http://127.0.0.1:1/api/v1', token: 'theirs', pager: 'touch pwned' }
    writeDirectoryFile(cli, { profile: 'acme', ...theirs })
    const outcome = await cli.run('whoami', '--json')
    expect(outcome.json()).toMatchObject({ base_url: service.url, company: 'Acme' })
    expect(outcome.stderr).toContain('base_url, token, pager')
  })

  test('sets task and notes of tt start, and notes of tt add; arguments take precedence', async () => {
    const cli = createTestCli('2024-05-01T09:30:00')
    await cli.run('start', 'Website/Design', '--at', '9:00')
    await cli.run('start', 'Website/Review', '--at', '9:10')
    writeDirectoryFile(cli, { task: 'Website/Design', notes: 'from the file' })
    expect(await cli.json('start')).toMatchObject({ task: 'Design', notes: 'from the file' })
    const typed = { task: 'Review', notes: 'typed' }
    expect(await cli.json('start', 'review', '-n', 'typed')).toMatchObject(typed)
    const add = ['add', 'review', '--from', '8:00', '--for', '30m']
    expect(await cli.json(...add)).toMatchObject({ notes: 'from the file' })
    expect(await cli.json(...add, '-n', 'typed')).toMatchObject({ notes: 'typed' })
  })

  test('is named in the error when its task does not exist', async () => {
    const cli = createTestCli()
    await cli.run('start', 'Website/Design')
    writeDirectoryFile(cli, { task: '99' })
    expect(await cli.run('start')).toMatchObject(
      rejection(2, `The task comes from ${join(cli.home, '.tt.json')}.`),
    )
  })

  test('with invalid JSON is ignored with a warning by login and start', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    writeDirectoryFile(cli, '{')
    const warning = `Ignored ${join(cli.home, '.tt.json')}: it is not JSON.\n`
    const outcome = await loginWithPassword(cli, service.url)
    expect(outcome).toMatchObject({ status: 0, stderr: expect.stringContaining(warning) })
    expect(await cli.run('start', 'Website/Design')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(warning),
    })
  })

  test('prints its path when it supplies the profile, the task or the notes', { tags: 'slow' }, async () => {
    const { cli } = await signInToTwoAccounts()
    const path = join(cli.home, '.tt.json')
    writeDirectoryFile(cli, { profile: 'local', task: 'Website/Design', notes: 'from the file' })
    const stderr = async (...words: string[]) => (await cli.run(...words)).stderr
    expect(await stderr('start', '--at', '9:00')).toContain(`Using task and notes from ${path}.\n`)
    expect(await stderr('status')).toContain(`Using profile from ${path}.\n`)
    expect(await stderr('status', '--json')).toBe(`Using profile from ${path}.\n`)
    expect(await stderr('start', 'Website/Design', '--at', '9:10')).toContain(`Using notes from ${path}.\n`)
    const add = ['add', 'Website/Design', '--from', '8:00', '--for', '5m']
    expect(await stderr(...add)).toContain(`Using notes from ${path}.\n`)
    const typed = await stderr('start', 'Website/Design', '-n', 'x', '--at', '9:20', '--profile', 'local')
    expect(typed).not.toContain('Using')
    expect(await stderr('status', '-q')).toBe('')
    expect(await stderr('status', '--cached', '--template', '{label}')).toBe('')
  })

  test('that takes precedence over a new sign-in is reported', async () => {
    const { cli, service } = await signInToTwoAccounts()
    writeDirectoryFile(cli, { profile: 'beta' })
    const outcome = await loginWithPassword(cli, service.url, '--profile', 'acme')
    expect(outcome.stderr).toContain('.tt.json names the profile "beta", which takes precedence')
  })
})
