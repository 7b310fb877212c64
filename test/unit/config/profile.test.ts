import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { DirectoryFile } from '../../../src/config/directory-file.js'
import { pathsFor } from '../../../src/config/paths.js'
import { selectProfile } from '../../../src/config/profile.js'
import { saveProfile } from '../../../src/config/profiles.js'

/** Six places that may name an account, each another one, the first before all others. */
const account = { TT_BASE_URL: 'https://env.example/api/v1', TT_TOKEN: 'x' }

async function home(...names: string[]): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'tt-profile-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  for (const name of names) {
    await saveProfile(pathsFor({ TT_HOME: directory }), name, {
      base_url: `https://${name}.example/api/v1`,
      auth_url: `https://${name}.example`,
      method: 'oauth',
      storage: 'file',
    })
  }
  return directory
}

const directoryFile =
  (profile: string): (() => DirectoryFile) =>
  () => ({ path: '/home/ada/.tt.json', profile, ignored: [] })

test.each([
  ['--profile', { ...account, TT_PROFILE: 'variable' }, 'flag', 'directory', 'flag'],
  [
    'TT_BASE_URL with TT_TOKEN',
    { ...account, TT_PROFILE: 'variable' },
    undefined,
    'directory',
    'environment',
  ],
  ['TT_PROFILE', { TT_PROFILE: 'variable' }, undefined, 'directory', 'variable'],
  ['the directory file', {}, undefined, 'directory', 'directory'],
  ['the current profile', {}, undefined, undefined, 'current'],
])('%s goes before all that follow', async (_, env, flag, directory, expected) => {
  const TT_HOME = await home('flag', 'variable', 'directory', 'current')
  const profile = selectProfile({ TT_HOME, ...env }, flag, directory ? directoryFile(directory) : undefined)
  expect(profile.name).toBe(expected)
})

test('without any of them the local workspace is in force, and each of them can name it', async () => {
  expect(selectProfile({ TT_HOME: await home() }).kind).toBe('local')
  const TT_HOME = await home('current')
  expect(selectProfile({ TT_HOME, ...account }, 'local').kind).toBe('local')
  expect(selectProfile({ TT_HOME, TT_PROFILE: 'local' }, undefined, directoryFile('current')).kind).toBe(
    'local',
  )
  expect(selectProfile({ TT_HOME }, undefined, directoryFile('local')).kind).toBe('local')
})

test('an empty variable says nothing', async () => {
  const TT_HOME = await home('current')
  expect(selectProfile({ TT_HOME, TT_PROFILE: '', TT_BASE_URL: '', TT_TOKEN: '' }).name).toBe('current')
})

test.each([
  ['--profile', {}, 'gone', undefined, 'There is no profile "gone".'],
  [
    'TT_PROFILE',
    { TT_PROFILE: 'gone' },
    undefined,
    undefined,
    'There is no profile "gone", which TT_PROFILE names.',
  ],
  ['the file', {}, undefined, 'gone', 'There is no profile "gone", which /home/ada/.tt.json names.'],
])(
  'a name that no profile has is not found, and who named it is told: %s',
  async (_, env, flag, directory, message) => {
    const TT_HOME = await home('acme')
    const ask = () =>
      selectProfile({ TT_HOME, ...env }, flag, directory ? directoryFile(directory) : undefined)
    expect(ask).toThrow(
      expect.objectContaining({
        code: 'not_found',
        message,
        hint: 'Profiles: local, acme.',
        nextStep: { action: 'sign_in', profile: 'NAME' },
      }),
    )
  },
)

test('so is a current one that is gone', async () => {
  const TT_HOME = await home()
  writeFileSync(join(TT_HOME, 'profiles.json'), '{"current":"gone","profiles":{}}')
  expect(() => selectProfile({ TT_HOME })).toThrow('There is no profile "gone", which was the current one.')
})

test('names of the language are no profiles', async () => {
  const TT_HOME = await home('acme')
  for (const name of ['constructor', '__proto__', 'toString']) {
    expect(() => selectProfile({ TT_HOME }, name)).toThrow(expect.objectContaining({ code: 'not_found' }))
  }
})

test('what goes before is not held up by what comes after', async () => {
  const TT_HOME = await home()
  writeFileSync(join(TT_HOME, 'profiles.json'), 'damaged')
  const never = () => {
    throw new Error('Looked for the directory file.')
  }
  expect(selectProfile({ TT_HOME }, 'local', never).name).toBe('local')
  expect(selectProfile({ TT_HOME, ...account }, undefined, never).name).toBe('environment')
  expect(selectProfile({ TT_HOME, TT_PROFILE: 'local' }, undefined, never).name).toBe('local')
  expect(() => selectProfile({ TT_HOME })).toThrow(
    expect.objectContaining({ code: 'failure', hint: expect.stringContaining('The local workspace') }),
  )
})
