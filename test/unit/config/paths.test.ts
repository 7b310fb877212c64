import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ignoredVariables, pathsFor } from '../../../src/config/paths.js'
import { selectProfile } from '../../../src/config/profile.js'

test('TT_HOME contains all directories', () => {
  expect(pathsFor({ TT_HOME: '/t', XDG_DATA_HOME: '/x' }, 'linux', '/home/ada')).toEqual({
    config: '/t',
    data: '/t',
    state: '/t',
  })
})

test('uses the XDG base directories and their defaults', () => {
  expect(pathsFor({ XDG_DATA_HOME: '/x' }, 'linux', '/home/ada')).toEqual({
    config: '/home/ada/.config/tt',
    data: '/x/tt',
    state: '/home/ada/.local/state/tt',
  })
})

test('resolves a relative TT_HOME against the working directory', () => {
  const here = join(process.cwd(), 'deep', 'home')
  expect(pathsFor({ TT_HOME: 'deep/home' })).toEqual({ config: here, data: here, state: here })
})

test.each(['relative', '~/relative'])('ignores the XDG value %j, which is not absolute', (value) => {
  const directories = { XDG_CONFIG_HOME: value, XDG_DATA_HOME: value, XDG_STATE_HOME: value }
  const env = { ...directories, XDG_CACHE_HOME: value }
  expect(pathsFor(env, 'linux', '/home/ada')).toEqual(pathsFor({}, 'linux', '/home/ada'))
  expect(ignoredVariables(env)).toEqual(Object.keys(env))
  expect(ignoredVariables({ ...env, TT_HOME: '/x' })).toEqual(['XDG_CACHE_HOME'])
  expect(ignoredVariables({ XDG_DATA_HOME: '/x', XDG_STATE_HOME: '' })).toEqual([])
})

test('TT_BASE_URL and TT_TOKEN are used together', () => {
  const account = selectProfile({ TT_BASE_URL: 'https://a.example/api/v1', TT_TOKEN: 'secret' })
  expect(account).toMatchObject({ baseUrl: 'https://a.example/api/v1', token: 'secret', isNamed: false })
})

test('the state key of an account from the environment depends on URL and token, and does not contain the token', () => {
  const key = (env: Record<string, string>) => selectProfile(env).stateKey
  const first = key({ TT_BASE_URL: 'https://a.example/api/v1', TT_TOKEN: 'one' })
  expect(first).not.toBe(key({ TT_BASE_URL: 'https://a.example/api/v1', TT_TOKEN: 'two' }))
  expect(first).not.toBe(key({ TT_BASE_URL: 'https://b.example/api/v1', TT_TOKEN: 'one' }))
  expect(first).toBe(key({ TT_BASE_URL: 'https://a.example/api/v1/', TT_TOKEN: 'one' }))
  expect(first).not.toContain('one')
})

test.each([
  [{ TT_BASE_URL: 'https://a.example/api/v1' }, 'TT_TOKEN'],
  [{ TT_TOKEN: 'x' }, 'TT_BASE_URL'],
])('rejects only one of TT_BASE_URL and TT_TOKEN, and names the other: %j', (env, missing) => {
  expect(() => selectProfile(env)).toThrow(
    expect.objectContaining({ code: 'usage', message: expect.stringContaining(missing) }),
  )
})
