import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DirectoryFile } from '../../../src/config/directory-file.js'
import { pathsFor } from '../../../src/config/paths.js'
import { selectProfile } from '../../../src/config/profile.js'
import { saveProfile } from '../../../src/config/profiles.js'
import { temporaryDirectory } from '../../support/process.js'

const account = { TT_BASE_URL: 'https://env.example/api/v1', TT_TOKEN: 'x' }
const both = { ...account, TT_PROFILE: 'variable' }

async function home(...names: string[]): Promise<string> {
  const directory = temporaryDirectory()
  for (const name of names) {
    const addresses = { base_url: `https://${name}.example/api/v1`, auth_url: `https://${name}.example` }
    const profile = { ...addresses, method: 'oauth', storage: 'file' } as const
    await saveProfile(pathsFor({ TT_HOME: directory }), name, profile)
  }
  return directory
}

const directoryFile = (profile: string | undefined): (() => DirectoryFile) | undefined =>
  profile === undefined ? undefined : () => ({ path: '/home/ada/.tt.json', profile, ignored: [] })

test.each([
  ['--profile', both, 'flag', 'directory', 'flag'],
  ['TT_BASE_URL with TT_TOKEN', both, undefined, 'directory', 'environment'],
  ['TT_PROFILE', { TT_PROFILE: 'variable' }, undefined, 'directory', 'variable'],
  ['the directory file', {}, undefined, 'directory', 'directory'],
  ['the current profile', {}, undefined, undefined, 'current'],
])('%s takes precedence over all later sources', async (_, env, flag, directory, expected) => {
  const TT_HOME = await home('flag', 'variable', 'directory', 'current')
  const profile = selectProfile({ TT_HOME, ...env }, flag, directoryFile(directory))
  expect(profile.name).toBe(expected)
})

test('the local workspace is the default', async () => {
  const local = { name: 'local', canWriteCatalog: true, hasDelivery: false }
  expect(selectProfile({ TT_HOME: await home() })).toMatchObject(local)
})

test('ignores empty variables', async () => {
  const TT_HOME = await home('current')
  expect(selectProfile({ TT_HOME, TT_PROFILE: '', TT_BASE_URL: '', TT_TOKEN: '' }).name).toBe('current')
})

test.each([
  ['--profile', {}, 'gone', undefined, ''],
  ['TT_PROFILE', { TT_PROFILE: 'gone' }, undefined, undefined, ', which TT_PROFILE names'],
  ['the file', {}, undefined, 'gone', ', which /home/ada/.tt.json names'],
])(
  'an unknown profile is not found, and the error names the source: %s',
  async (_, env, flag, directory, by) => {
    const TT_HOME = await home('acme')
    expect(() => selectProfile({ TT_HOME, ...env }, flag, directoryFile(directory))).toThrow(
      expect.objectContaining({
        code: 'not_found',
        message: `There is no profile "gone"${by}.`,
        hint: 'Profiles: local, acme.',
        nextStep: { action: 'sign_in', profile: 'NAME' },
      }),
    )
  },
)

test('a missing current profile is an error', async () => {
  const TT_HOME = await home()
  writeFileSync(join(TT_HOME, 'profiles.json'), '{"current":"gone","profiles":{}}')
  expect(() => selectProfile({ TT_HOME })).toThrow('There is no profile "gone", which was the current one.')
})

test('names of Object.prototype are not profiles', async () => {
  const TT_HOME = await home('acme')
  for (const name of ['constructor', '__proto__', 'toString']) {
    expect(() => selectProfile({ TT_HOME }, name)).toThrow(expect.objectContaining({ code: 'not_found' }))
  }
})

test('an earlier source does not read the later ones', async () => {
  const TT_HOME = await home()
  writeFileSync(join(TT_HOME, 'profiles.json'), 'damaged')
  const failingLookup = () => {
    throw new Error('Looked for the directory file.')
  }
  expect(selectProfile({ TT_HOME }, 'local', failingLookup).name).toBe('local')
  expect(selectProfile({ TT_HOME, ...account }, undefined, failingLookup).name).toBe('environment')
  expect(selectProfile({ TT_HOME, TT_PROFILE: 'local' }, undefined, failingLookup).name).toBe('local')
  expect(() => selectProfile({ TT_HOME })).toThrow(
    expect.objectContaining({ code: 'failure', hint: expect.stringContaining('The local workspace') }),
  )
})
