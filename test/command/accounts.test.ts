import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { credentialsLockPath, pathsFor } from '../../src/config/paths.js'
import { withLock } from '../../src/lib/lock.js'
import { setPassword } from '../../src/service/accounts/passwords.js'
import * as administration from '../../src/service/admin/administration.js'
import {
  deskThere,
  email,
  keptIn,
  loginByKey,
  loginByOAuth,
  newService,
  password,
  profilesOf,
  secretsOf,
} from './signed-in.js'

describe('login --key', () => {
  test('keeps a key that the service takes, in a file of the owner, and says why OAuth is better', async () => {
    const [service, desk] = [await newService(), deskThere()]
    const outcome = await loginByKey(desk, service.url, '--profile', 'acme', '--json')
    expect(outcome).toMatchObject({ status: 0, stderr: expect.not.stringContaining(password) })
    for (const why of ['scopes', 'revocable', 'identity provider']) expect(outcome.stderr).toContain(why)
    const secrets = join(desk.home, 'credentials', 'acme.json')
    expect(outcome.json()).toMatchObject({
      profile: 'acme',
      base_url: service.url,
      method: 'key',
      company: 'Acme',
      secrets,
      signed_in: true,
    })
    expect(statSync(secrets).mode & 0o777).toBe(0o600)
    expect(secretsOf(desk)).toMatchObject({ method: 'key', base_url: service.url, auth_url: service.origin })
    expect(profilesOf(desk).current).toBe('acme')
    expect((await desk.tt('start', 'design')).status).toBe(0)
  })

  test('prints company and user, so that a sign-in to another account is noticed', async () => {
    const [service, desk] = [await newService(), deskThere()]
    const other = 'bob@example.com'
    await administration.addUser(service.storage, { email: other, name: 'Bob', clock: () => new Date() })
    await setPassword(service.storage, other, password)
    const ada = await loginByKey(desk, service.url, '--profile', 'acme')
    expect(ada.stderr).toContain(`Signed in to Acme (company 1) at ${service.url} as ${email}.`)
    const bob = await loginByKey(desk, service.url, '--profile', 'acme', '--email', other)
    expect(bob.stderr).toContain(`Signed in to Acme (company 1) at ${service.url} as ${other}.`)
    expect(await loginByOAuth(desk, service)).toMatchObject({ user: `Ada L. <${email}>` })
  })

  test('names the profile after the address, and tells a second account of it apart by --profile alone', async () => {
    const [service, desk] = [await newService(), deskThere()]
    const derived = new URL(service.url).host.replace(':', '-')
    expect((await loginByKey(desk, service.url)).stderr).toContain(`The profile is "${derived}"`)
    await loginByKey(desk, service.url, '--profile', 'second')
    await loginByKey(desk, service.url)
    expect(Object.keys(profilesOf(desk).profiles)).toEqual([derived, 'second'])
  })

  test('a wrong password is exit 4, and nothing is kept', async () => {
    const [service, desk] = [await newService(), deskThere()]
    const argv = ['login', '--key', '--base-url', service.url, '--insecure-storage', '--email', email]
    const outcome = await desk.piped('wrong password\n', ...argv, '--password-stdin')
    expect(outcome).toMatchObject({ status: 4, stdout: '', stderr: expect.not.stringContaining('wrong') })
    expect(keptIn(desk)).toEqual([])
  })

  test('an address without an API is told, and nothing is kept', async () => {
    const [service, desk] = [await newService(), deskThere()]
    const outcome = await loginByKey(desk, `${service.origin}/nowhere/api/v1`, '--auth-url', service.origin)
    expect(outcome).toMatchObject({ status: 7, stdout: '' })
    expect(outcome.stderr).toContain('there is no API at')
    expect(outcome.stderr).toContain('--base-url')
    expect(keptIn(desk)).toEqual([])
  })

  test('again at the same address keeps what this machine remembers, and another address begins anew', async () => {
    const [service, other, desk] = [await newService(), await newService(), deskThere()]
    const state = () => profilesOf(desk).profiles.acme?.state
    await loginByKey(desk, service.url, '--profile', 'acme')
    const first = state()
    await loginByKey(desk, service.url, '--profile', 'acme')
    expect(state()).toBe(first)

    const asked = await loginByKey(desk, other.url, '--profile', 'acme')
    expect(asked).toMatchObject({ status: 2, stderr: expect.stringContaining(`belongs to ${service.url}`) })
    expect([state(), secretsOf(desk).base_url]).toEqual([first, service.url])

    expect((await loginByKey(desk, other.url, '--profile', 'acme', '--yes')).status).toBe(0)
    expect(profilesOf(desk).profiles.acme?.base_url).toBe(other.url)
    expect([state() === first, secretsOf(desk).base_url]).toEqual([false, other.url])
  })

  test('waits for a renewal of the same profile that is under way in another process', async () => {
    const [service, desk] = [await newService(), deskThere()]
    const events: string[] = []
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const renewal = withLock(credentialsLockPath(pathsFor(desk.env), 'acme'), async () => {
      await held
      events.push('renewed')
    })
    const login = loginByKey(desk, service.url, '--profile', 'acme').then(() => events.push('signed in'))
    await vi.waitFor(async () => {
      const keys = await service.storage.db.selectFrom('tokens').selectAll().execute()
      expect(keys).toHaveLength(1)
    }, 20_000)
    // Time enough for one that does not wait.
    await Promise.race([login, pause(200)])
    expect(keptIn(desk)).toEqual([])
    letGo()
    await Promise.all([renewal, login])
    expect(events).toEqual(['renewed', 'signed in'])
  })

  test('an environment that goes before it is told of', async () => {
    const [service, desk] = [await newService(), deskThere()]
    desk.env.TT_PROFILE = 'other'
    expect((await loginByKey(desk, service.url, '--profile', 'acme')).stderr).toContain(
      'TT_PROFILE is "other"',
    )
    desk.env.TT_BASE_URL = service.url
    desk.env.TT_TOKEN = 'x'
    const outcome = await loginByKey(desk, service.url, '--profile', 'acme')
    expect(outcome.stderr).toContain('TT_BASE_URL and TT_TOKEN are set')
  })
})

describe('login refuses', () => {
  const address = ['--base-url', 'https://acme.example/api/v1']
  test.each([
    [['--key', '--client-id', 'x'], '--key signs in with email and password'],
    [['--key', '--client-secret-stdin'], '--key signs in with email and password'],
    [['--key', '--scope', 'service:read'], '--key signs in with email and password'],
    [['--key', '--redirect-uri', 'http://127.0.0.1/'], '--key signs in with email and password'],
    [['--email', 'ada@example.com'], 'belong to --key'],
    [['--password-stdin'], 'belong to --key'],
    [[], 'address of the service is missing'],
    [[...address, '--profile', 'local'], '"local" is there already'],
    [[...address, '--profile', '../x'], 'cannot be the name of a profile'],
    [['--base-url', 'http://acme.example/api/v1'], 'not encrypted'],
    [[...address, '--auth-url', 'http://acme.example'], 'not encrypted'],
    [[...address, '--insecure-storage'], 'client id is missing'],
    [[...address, '--insecure-storage', '--client-id', 'x'], 'client secret is missing'],
    [[...address, '--insecure-storage', '--key'], 'email is missing'],
    [[...address, '--insecure-storage', '--key', '--email', 'x'], 'password is missing'],
  ])('%j', async (argv, message) => {
    const desk = deskThere()
    const outcome = await desk.tt('login', ...argv)
    expect(outcome).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(message) })
    expect(keptIn(desk)).toEqual([])
  })

  test('http: for another address than the one that it was allowed for', async () => {
    const [service, desk] = [await newService(), deskThere()]
    await loginByKey(desk, service.url, '--profile', 'acme', '--insecure-http')
    expect(profilesOf(desk).profiles.acme?.insecure_http).toBe(true)
    const moved = await loginByKey(desk, 'http://acme.example/api/v1', '--profile', 'acme', '--yes')
    expect(moved).toMatchObject({ status: 2, stderr: expect.stringContaining('not encrypted') })
  })

  test('to give the client secret that is kept to another address', async () => {
    const [service, desk] = [await newService(), deskThere()]
    await loginByOAuth(desk, service)
    const argv = ['login', '--profile', 'acme', '--insecure-storage', '--auth-url', 'http://127.0.0.1:1']
    const outcome = await desk.tt(...argv)
    expect(outcome).toMatchObject({ status: 2, stderr: expect.stringContaining('client secret is missing') })
  })
})

describe('login with OAuth', () => {
  test('revokes the tokens of a sign-in that comes to nothing', async () => {
    const [service, desk] = [await newService(), deskThere()]
    const failed = loginByOAuth(desk, service, { baseUrl: `${service.origin}/nowhere` })
    await expect(failed).rejects.toMatchObject({ code: 'rejected' })
    const grants = await service.storage.db.selectFrom('grants').select('revoked_at').execute()
    expect(grants).toEqual([{ revoked_at: expect.any(Number) }])
    expect(keptIn(desk)).toEqual([])
  })

  test('a scope that is missing is named, and the command that gets it', async () => {
    const [service, desk] = [await newService(), deskThere()]
    await loginByOAuth(desk, service, { scope: 'service:read' })
    expect((await desk.tt('log')).status).toBe(0)
    const refused = await desk.tt('start', 'design', '--json')
    expect(refused).toMatchObject({ status: 5, stdout: '' })
    expect(JSON.parse(refused.stderr)).toEqual({
      error: {
        code: 'insufficient_scope',
        status: 403,
        message: expect.stringContaining('service:write'),
        hint: 'Sign in again for both scopes: tt login --profile acme --scope "service:read service:write"',
      },
    })
  })
})

describe('logout', () => {
  test('has the service revoke the tokens, and forgets the profile', async () => {
    const [service, desk] = [await newService(), deskThere()]
    const { credentials } = await loginByOAuth(desk, service)
    const outcome = await desk.tt('logout')
    expect(outcome).toMatchObject({ status: 0, stdout: '', stderr: expect.stringContaining('has revoked') })
    expect(keptIn(desk)).toEqual(['profiles.json'])
    expect(profilesOf(desk)).toEqual({ profiles: {} })
    const token = credentials.method === 'oauth' ? credentials.access_token : ''
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`${service.url}/companies`, { headers })).status).toBe(401)
  })

  test('has prompts show its timer no more, and says where the rest stays', async () => {
    const [service, desk] = [await newService(), deskThere()]
    await loginByKey(desk, service.url, '--profile', 'acme')
    await desk.json('start', 'design')
    const line = join(desk.home, 'timer')
    expect(readFileSync(line, 'utf8')).toContain('Design since')
    expect(await desk.tt('logout')).toMatchObject({ status: 0, stderr: expect.stringContaining('stays in') })
    expect(existsSync(line)).toBe(false)
  })

  test('leaves the timer of another profile where prompts show that one', async () => {
    const [service, desk] = [await newService(), deskThere()]
    await desk.json('start', 'Acme/Website/Design')
    const line = join(desk.home, 'timer')
    const shown = readFileSync(line, 'utf8')
    await loginByKey(desk, service.url, '--profile', 'acme')
    expect(await desk.tt('logout')).toMatchObject({ status: 0 })
    expect(readFileSync(line, 'utf8')).toBe(shown)
  })

  test('says what stays valid: a key, and tokens of a service that cannot be reached', async () => {
    const [service, desk] = [await newService(), deskThere()]
    await loginByKey(desk, service.url, '--profile', 'byhand')
    const key = await desk.tt('logout', '--profile', 'byhand')
    expect(key).toMatchObject({ status: 0, stderr: expect.stringContaining('The key stays valid') })
    await loginByOAuth(desk, service)
    await service.close()
    const tokens = await desk.tt('logout')
    expect(tokens).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('The tokens were not revoked: The service'),
    })
    expect(keptIn(desk)).toEqual(['profiles.json'])
  })

  test.each([
    [{}, [], 2, 'no account to sign out of'],
    [{ TT_BASE_URL: 'https://a.example/api/v1', TT_TOKEN: 'x' }, [], 2, 'comes from TT_BASE_URL'],
    [{}, ['--profile', 'gone'], 3, 'no profile "gone"'],
  ])('%j %j has nothing to sign out of', async (env, argv, status, message) => {
    const desk = deskThere()
    Object.assign(desk.env, env)
    expect(await desk.tt('logout', ...argv)).toMatchObject({
      status,
      stderr: expect.stringContaining(message),
    })
  })
})
