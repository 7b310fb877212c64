import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Paths } from '../../../src/config/paths.js'
import {
  checkProfileName,
  profileNamed,
  profilesPath,
  readProfiles,
  removeProfile,
  type StoredProfile,
  saveProfile,
  useProfile,
} from '../../../src/config/profiles.js'
import { TtError } from '../../../src/lib/errors.js'
import { bundleScript } from '../../support/bundle-script.js'
import { run, temporaryDirectory } from '../../support/process.js'
import { rejectionOf } from '../api/test-server.js'

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

/** Writes the profiles file as somebody's editor would. */
function written(text: string): Paths {
  const paths = home()
  mkdirSync(paths.config)
  writeFileSync(profilesPath(paths), text)
  return paths
}

test('without a file there are no profiles, and none is made by looking', () => {
  const paths = home()
  expect(readProfiles(paths)).toEqual({ profiles: {} })
  expect(readdirSync(dirname(paths.config))).toEqual([])
})

test('a profile is kept with what it was given, and becomes the current one', async () => {
  const paths = home()
  const saved = await saveProfile(paths, 'acme', settings)
  expect(saved).toEqual({ ...settings, state: expect.stringMatching(/^acme-[0-9a-f]{8}$/) })
  await saveProfile(paths, 'other', { ...settings, insecure_http: true, storage: 'file' })
  const all = readProfiles(paths)
  expect(all.current).toBe('other')
  expect(profileNamed(all, 'acme')).toEqual(saved)
  expect(profileNamed(all, 'other')).toMatchObject({ insecure_http: true, storage: 'file' })
  expect(profileNamed(all, 'toString')).toBeUndefined()
})

test('the client state stays with the address, and begins anew with another one', async () => {
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

test('the file is its owner’s alone, in a directory that is too, and nothing else is left there', async () => {
  const paths = home()
  await saveProfile(paths, 'acme', settings)
  expect(statSync(profilesPath(paths)).mode & 0o777).toBe(0o600)
  expect(statSync(paths.config).mode & 0o777).toBe(0o700)
  expect(readdirSync(paths.config)).toEqual(['profiles.json'])
})

test('what can be in the file has no room for a secret', async () => {
  const paths = home()
  await saveProfile(paths, 'acme', { ...settings, insecure_http: true })
  const { profiles } = JSON.parse(readFileSync(profilesPath(paths), 'utf8'))
  expect(Object.keys(profiles.acme).sort()).toEqual([
    'auth_url',
    'base_url',
    'client_id',
    'insecure_http',
    'method',
    'scope',
    'state',
    'storage',
  ])
})

test.each(['a', 'acme', 'Acme.2', '0', 'a_b-c', 'x'.repeat(64), 'constructor'])('%s is a name', (name) => {
  expect(checkProfileName(name)).toBe(name)
})

test.each([
  ...[
    '',
    ' ',
    '.',
    '..',
    '../acme',
    'a/b',
    'a\\b',
    '-a',
    '.a',
    '_a',
    '__proto__',
    'a b',
    'a\n',
    'a#1',
    'ä',
    'a:b',
  ],
  'x'.repeat(65),
])('rejects %j as a profile name', async (name) => {
  const paths = home()
  expect(await rejectionOf(saveProfile(paths, name, settings))).toMatchObject({
    code: 'usage',
    message: `"${name}" cannot be the name of a profile.`,
    hint: expect.stringContaining('Letters, digits'),
  })
  expect(readProfiles(paths)).toEqual({ profiles: {} })
})

test.each(['local', 'environment', 'Local', 'ENVIRONMENT'])('%s is taken', (name) => {
  expect(() => checkProfileName(name)).toThrow(
    expect.objectContaining({ code: 'usage', hint: expect.stringContaining('another name') }),
  )
})

test('a name that differs in upper and lower case alone is refused, and the other one is named', async () => {
  const paths = home()
  await saveProfile(paths, 'Acme', settings)
  expect(await rejectionOf(saveProfile(paths, 'acme', settings))).toMatchObject({
    code: 'usage',
    message: expect.stringContaining('"Acme"'),
  })
  await saveProfile(paths, 'Acme', settings)
  expect(Object.keys(readProfiles(paths).profiles)).toEqual(['Acme'])
})

test('the current profile can be chosen and given up', async () => {
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
  await useProfile(paths, 'local')
  expect(readProfiles(paths).current).toBeUndefined()
})

test('a profile that is forgotten was perhaps the current one', async () => {
  const paths = home()
  await saveProfile(paths, 'one', settings)
  await saveProfile(paths, 'two', settings)
  await removeProfile(paths, 'one')
  expect(readProfiles(paths)).toMatchObject({ current: 'two' })
  await removeProfile(paths, 'two')
  expect(readProfiles(paths)).toEqual({ profiles: {} })
  await removeProfile(paths, 'two')
})

const whole = { ...settings, state: 'acme-01234567' }
test.each<[string, string | object]>([
  ['is not JSON', ''],
  ['is not JSON', '{"current":"acme"'],
  ['has no profiles', []],
  ['has no profiles', {}],
  ['has no profiles', { profiles: [] }],
  ['has a "current" that is not a name', { current: 3, profiles: {} }],
  ['has a profile "acme" that is incomplete', { profiles: { acme: null } }],
  ...['base_url', 'auth_url', 'method', 'storage', 'state'].map<[string, object]>((field) => [
    'has a profile "acme" that is incomplete',
    { profiles: { acme: { ...whole, [field]: undefined } } },
  ]),
  ...[
    { method: 'basic' },
    { storage: 'cloud' },
    { insecure_http: 'yes' },
    { client_id: 5 },
    { scope: [] },
  ].map<[string, object]>((part) => [
    'has a profile "acme" that is incomplete',
    { profiles: { acme: { ...whole, ...part } } },
  ]),
  ['has a profile "acme" that is incomplete', { profiles: { acme: { ...whole, state: '../../elsewhere' } } }],
  ['has a profile "../acme", which is not a valid name', { profiles: { '../acme': whole } }],
])('a file that %s is told, and stays as it is: %j', async (flaw, content) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  const paths = written(text)
  expect(() => readProfiles(paths)).toThrow(TtError)
  expect(await rejectionOf(saveProfile(paths, 'other', settings))).toMatchObject({
    code: 'failure',
    message: `The profiles file ${profilesPath(paths)} ${flaw}.`,
    hint: expect.stringContaining('The local workspace does not need it'),
  })
  expect(readFileSync(profilesPath(paths), 'utf8')).toBe(text)
})

test('a file with more in it than is known is used, and keeps what it has', async () => {
  const paths = written(JSON.stringify({ later: 1, profiles: { acme: { ...whole, colour: 'red' } } }))
  await saveProfile(paths, 'other', settings)
  expect(readProfiles(paths)).toMatchObject({ later: 1, profiles: { acme: { colour: 'red' } } })
})

test('processes that save at once all stay', async () => {
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
