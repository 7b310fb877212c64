import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Paths } from '../../../src/config/paths.js'
import {
  checkProfileName,
  profileNamed,
  readProfiles,
  removeProfile,
  type StoredProfile,
  saveProfile,
  useProfile,
} from '../../../src/config/profiles.js'
import { TtError } from '../../../src/lib/errors.js'
import { bundleScript } from '../../support/bundle-script.js'
import { run, temporaryDirectory } from '../../support/process.js'
import { rejectionOf } from '../api-client/test-server.js'

const settings: Omit<StoredProfile, 'state'> = {
  base_url: 'https://acme.example/api/v1',
  auth_url: 'https://acme.example',
  client_id: 'abc',
  method: 'oauth',
  scope: 'service:read service:write',
  storage: 'keychain',
}

function home(): Paths {
  const directory = temporaryDirectory()
  return { config: join(directory, 'config'), data: join(directory, 'data'), state: join(directory, 'state') }
}

const profilesPath = (paths: Paths) => join(paths.config, 'profiles.json')

/** Writes this text to the profiles file. */
function writeProfilesFile(text: string): Paths {
  const paths = home()
  mkdirSync(paths.config)
  writeFileSync(profilesPath(paths), text)
  return paths
}

test('returns no profiles without a file, and creates none', () => {
  const paths = home()
  expect(readProfiles(paths)).toEqual({ profiles: {} })
  expect(readdirSync(dirname(paths.config))).toEqual([])
})

test('stores a profile in a private file and makes it the current one', async () => {
  const paths = home()
  const saved = await saveProfile(paths, 'acme', settings)
  expect(saved).toEqual({ ...settings, state: expect.stringMatching(/^acme-[0-9a-f]{8}$/) })
  await saveProfile(paths, 'other', { ...settings, insecure_http: true, storage: 'file' })
  expect(statSync(profilesPath(paths)).mode & 0o777).toBe(0o600)
  expect(statSync(paths.config).mode & 0o777).toBe(0o700)
  expect(readdirSync(paths.config)).toEqual(['profiles.json'])
  // The file contains no secrets.
  const { profiles } = JSON.parse(readFileSync(profilesPath(paths), 'utf8'))
  expect(Object.keys(profiles.other).sort()).toEqual([
    ...['auth_url', 'base_url', 'client_id', 'insecure_http', 'method', 'scope', 'state', 'storage'],
  ])
  const all = readProfiles(paths)
  expect(all.current).toBe('other')
  expect(profileNamed(all, 'acme')).toEqual(saved)
  expect(profileNamed(all, 'other')).toMatchObject({ insecure_http: true, storage: 'file' })
  expect(profileNamed(all, 'toString')).toBeUndefined()
})

test('a profile has the same client state for the same URL, and a new one for another', async () => {
  const paths = home()
  const first = await saveProfile(paths, 'acme', settings)
  const again = await saveProfile(paths, 'acme', { ...settings, scope: 'service:read', method: 'key' })
  expect(again.state).toBe(first.state)
  const moved = await saveProfile(paths, 'acme', { ...settings, base_url: 'https://beta.example/api/v1' })
  expect(moved.state).not.toBe(first.state)
  const back = await saveProfile(paths, 'acme', settings)
  expect([first.state, moved.state]).not.toContain(back.state)
  await removeProfile(paths, 'acme')
  expect((await saveProfile(paths, 'acme', settings)).state).not.toBe(back.state)
})

test.each(['a', 'acme', 'Acme.2', '0', 'a_b-c', 'x'.repeat(64), 'constructor'])(
  'accepts %s as a profile name',
  (name) => {
    expect(checkProfileName(name)).toBe(name)
  },
)

test.each([
  ...['', ' ', '.', '..', '../acme', 'a/b', 'a\\b', '-a', '.a', '_a', '__proto__'],
  ...['a b', 'a\n', 'a#1', 'ä', 'a:b', 'x'.repeat(65)],
])('rejects %j as a profile name', async (name) => {
  const paths = home()
  expect(await rejectionOf(saveProfile(paths, name, settings))).toMatchObject({
    code: 'usage',
    message: `"${name}" cannot be the name of a profile.`,
    hint: expect.stringContaining('Use letters, digits'),
  })
  expect(readProfiles(paths)).toEqual({ profiles: {} })
})

test.each(['local', 'environment', 'Local', 'ENVIRONMENT'])('rejects the reserved name %s', (name) => {
  expect(() => checkProfileName(name)).toThrow(
    expect.objectContaining({ code: 'usage', hint: expect.stringContaining('another name') }),
  )
})

test('rejects a name that differs from another only in case, and names the other', async () => {
  const paths = home()
  await saveProfile(paths, 'Acme', settings)
  expect(await rejectionOf(saveProfile(paths, 'acme', settings))).toMatchObject({
    code: 'usage',
    message: expect.stringContaining('"Acme"'),
  })
  await saveProfile(paths, 'Acme', settings)
  expect(Object.keys(readProfiles(paths).profiles)).toEqual(['Acme'])
})

test('selects the current profile, or none for the local workspace', async () => {
  const paths = home()
  await saveProfile(paths, 'one', settings)
  await saveProfile(paths, 'two', settings)
  await useProfile(paths, 'one')
  expect(readProfiles(paths).current).toBe('one')
  expect(await rejectionOf(useProfile(paths, 'three'))).toMatchObject({
    code: 'not_found',
    message: 'There is no profile "three".',
    hint: expect.stringContaining('local, one, two'),
  })
  expect(readProfiles(paths).current).toBe('one')
  await useProfile(paths, undefined)
  expect(readProfiles(paths).current).toBeUndefined()
})

test('removing the current profile leaves no current profile', async () => {
  const paths = home()
  await saveProfile(paths, 'one', settings)
  await saveProfile(paths, 'two', settings)
  await removeProfile(paths, 'one')
  expect(readProfiles(paths)).toMatchObject({ current: 'two' })
  await removeProfile(paths, 'two')
  expect(readProfiles(paths)).toEqual({ profiles: {} })
  await removeProfile(paths, 'two')
})

const complete = { ...settings, state: 'acme-01234567' }
test.each<[string, string | object]>([
  ['is not JSON', ''],
  ['is not JSON', '{"current":"acme"'],
  ['has no profiles', []],
  ['has no profiles', {}],
  ['has no profiles', { profiles: [] }],
  ['has a "current" that is not a name', { current: 3, profiles: {} }],
  ['has a profile "acme" that is incomplete', { profiles: { acme: null } }],
  ...[
    ...['base_url', 'auth_url', 'method', 'storage', 'state'].map((field) => ({ [field]: undefined })),
    ...[{ method: 'basic' }, { storage: 'cloud' }, { insecure_http: 'yes' }, { client_id: 5 }],
    ...[{ scope: [] }, { state: '../../elsewhere' }],
  ].map<[string, object]>((part) => [
    'has a profile "acme" that is incomplete',
    { profiles: { acme: { ...complete, ...part } } },
  ]),
  ['has a profile "../acme", which is not a valid name', { profiles: { '../acme': complete } }],
])('rejects a file that %s and leaves it unchanged: %j', async (flaw, content) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  const paths = writeProfilesFile(text)
  expect(() => readProfiles(paths)).toThrow(TtError)
  expect(await rejectionOf(saveProfile(paths, 'other', settings))).toMatchObject({
    code: 'failure',
    message: `The profiles file ${profilesPath(paths)} ${flaw}.`,
    hint: expect.stringContaining('The local workspace does not need it'),
  })
  expect(readFileSync(profilesPath(paths), 'utf8')).toBe(text)
})

test('preserves unknown fields of the file', async () => {
  const paths = writeProfilesFile(
    JSON.stringify({ later: 1, profiles: { acme: { ...complete, colour: 'red' } } }),
  )
  await saveProfile(paths, 'other', settings)
  expect(readProfiles(paths)).toMatchObject({ later: 1, profiles: { acme: { colour: 'red' } } })
})

test('concurrent processes all save their profiles', { tags: 'slow' }, async () => {
  const paths = home()
  const saving = await bundleScript(`
    import { saveProfile } from './src/config/profiles.ts'
    const [name] = process.argv.slice(2)
    await saveProfile(${JSON.stringify(paths)}, name, ${JSON.stringify(settings)})
  `)
  const names = Array.from({ length: 12 }, (_, number) => `profile-${number}`)
  const outcomes = await Promise.all(names.map((name) => run(process.execPath, [saving, name])))
  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 0, stderr: '' })
  expect(Object.keys(readProfiles(paths).profiles).sort()).toEqual(names.sort())
})
