import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { openFileCredentials } from '../../src/api-client/auth/credentials/credentials.js'
import { type LoginTarget, loginWithKey } from '../../src/api-client/auth/login.js'
import { credentialsLockPath, pathsFor } from '../../src/config/paths.js'
import { withLock } from '../../src/lib/lock.js'
import * as administration from '../../src/service/admin/administration.js'
import { addApplication } from '../../src/service/oauth/applications.js'
import { sql } from '../../src/service/storage/sql.js'
import { rejection } from '../support/rejection.js'
import {
  createCliAtServiceTime,
  email,
  listAccountFiles,
  loginWithOAuth,
  loginWithPassword,
  password,
  readCredentials,
  readProfiles,
  startService,
} from './login-fixtures.js'

describe('login --key', () => {
  test('stores an accepted key in a private file, and recommends OAuth with reasons', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    const outcome = await loginWithPassword(cli, service.url, '--profile', 'acme', '--json')
    expect(outcome).toMatchObject({ status: 0, stderr: expect.not.stringContaining(password) })
    for (const why of ['scopes', 'revocable', 'identity provider']) expect(outcome.stderr).toContain(why)
    const secrets = join(cli.home, 'credentials', 'acme.json')
    expect(outcome.json()).toMatchObject({
      ...{ profile: 'acme', base_url: service.url, method: 'key', company: 'Acme', secrets, signed_in: true },
    })
    expect(statSync(secrets).mode & 0o777).toBe(0o600)
    expect(readCredentials(cli)).toMatchObject({
      ...{ method: 'key', base_url: service.url, auth_url: service.origin },
    })
    expect(readProfiles(cli).current).toBe('acme')
    expect((await cli.run('start', 'design')).status).toBe(0)
  })

  test('prints company and user, so that a sign-in to another account is noticed', {
    tags: 'slow',
  }, async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    const other = 'bob@example.com'
    await administration.addUser(service.storage, { email: other, name: 'Bob', clock: () => new Date() })
    const samePassword = sql`update users set password = (select password from users where id = 1)`
    await service.storage.queries.all(samePassword)
    const ada = await loginWithPassword(cli, service.url, '--profile', 'acme')
    expect(ada.stderr).toContain(`Signed in to Acme (company 1) at ${service.url} as ${email}.`)
    const bob = await loginWithPassword(cli, service.url, '--profile', 'acme', '--email', other)
    expect(bob.stderr).toContain(`Signed in to Acme (company 1) at ${service.url} as ${other}.`)
    expect(await loginWithOAuth(cli, service)).toMatchObject({ user: `Ada L. <${email}>` })
  })

  test('names the profile after the address, and a second account needs --profile', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    const derivedName = new URL(service.url).host.replace(':', '-')
    expect((await loginWithPassword(cli, service.url)).stderr).toContain(`The profile is "${derivedName}"`)
    await loginWithPassword(cli, service.url, '--profile', 'second')
    await loginWithPassword(cli, service.url)
    expect(Object.keys(readProfiles(cli).profiles)).toEqual([derivedName, 'second'])
  })

  test('exits with 4 for a wrong password, and stores nothing', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    const argv = ['login', '--key', '--base-url', service.url, '--insecure-storage', '--email', email]
    const outcome = await cli.runWithInput('mistyped secret\n', ...argv, '--password-stdin')
    expect(outcome).toMatchObject({ status: 4, stdout: '', stderr: expect.not.stringContaining('mistyped') })
    expect(listAccountFiles(cli)).toEqual([])
  })

  test('reports an address without an API, and stores nothing', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    const url = `${service.origin}/nowhere/api/v1`
    const outcome = await loginWithPassword(cli, url, '--auth-url', service.origin)
    expect(outcome).toMatchObject({ status: 7, stdout: '' })
    expect(outcome.stderr).toContain('there is no API at')
    expect(outcome.stderr).toContain('--base-url')
    expect(listAccountFiles(cli)).toEqual([])
  })

  test('retains the state for the same address, and starts with an empty state for another', async () => {
    const [service, other, cli] = [await startService(), await startService(), createCliAtServiceTime()]
    const state = () => readProfiles(cli).profiles.acme?.state
    await loginWithPassword(cli, service.url, '--profile', 'acme')
    const first = state()
    await loginWithPassword(cli, service.url, '--profile', 'acme')
    expect(state()).toBe(first)

    const unconfirmed = await loginWithPassword(cli, other.url, '--profile', 'acme')
    expect(unconfirmed).toMatchObject(rejection(2, `belongs to ${service.url}`))
    expect([state(), readCredentials(cli).base_url]).toEqual([first, service.url])

    expect((await loginWithPassword(cli, other.url, '--profile', 'acme', '--yes')).status).toBe(0)
    expect(readProfiles(cli).profiles.acme?.base_url).toBe(other.url)
    expect([state() === first, readCredentials(cli).base_url]).toEqual([false, other.url])
  })

  test('waits for a refresh of the same profile in another process', { tags: 'slow' }, async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    const events: string[] = []
    let finishRefresh = () => {}
    const refreshFinished = new Promise<void>((resolve) => {
      finishRefresh = resolve
    })
    const refresh = withLock(credentialsLockPath(pathsFor(cli.env), 'acme'), async () => {
      await refreshFinished
      events.push('refreshed')
    })
    const login = loginWithPassword(cli, service.url, '--profile', 'acme').then(() =>
      events.push('signed in'),
    )
    await vi.waitFor(async () => {
      const keys = await service.storage.queries.all(sql`select * from tokens`)
      expect(keys).toHaveLength(1)
    }, 60_000)
    // Time for a login that does not wait to finish.
    await Promise.race([login, pause(200)])
    expect(listAccountFiles(cli)).toEqual([])
    finishRefresh()
    await Promise.all([refresh, login])
    expect(events).toEqual(['refreshed', 'signed in'])
  })

  test('reports environment variables that take precedence', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    cli.env.TT_PROFILE = 'other'
    expect((await loginWithPassword(cli, service.url, '--profile', 'acme')).stderr).toContain(
      'TT_PROFILE takes precedence here: it is "other"',
    )
    cli.env.TT_BASE_URL = service.url
    cli.env.TT_TOKEN = 'x'
    const outcome = await loginWithPassword(cli, service.url, '--profile', 'acme')
    expect(outcome.stderr).toContain('TT_BASE_URL and TT_TOKEN take precedence')
  })
})

describe('login rejects', () => {
  const address = ['--base-url', 'https://acme.example/api/v1']
  test.each([
    [['--key', '--client-id', 'x'], '--key cannot be used together with --client-id'],
    [['--email', 'ada@example.com'], 'requires --key'],
    [[], 'address of the service is missing'],
    [[...address, '--profile', 'local'], 'The name "local" is reserved'],
    [['--base-url', 'http://acme.example/api/v1'], 'not encrypted'],
    [[...address, '--auth-url', 'http://acme.example'], 'not encrypted'],
    [[...address, '--insecure-storage'], 'client ID is missing'],
    [[...address, '--insecure-storage', '--client-id', 'x'], 'client secret is missing'],
    [[...address, '--insecure-storage', '--key'], 'email is missing'],
    [[...address, '--insecure-storage', '--key', '--email', 'x'], 'password is missing'],
  ])('%j', async (argv, message) => {
    const cli = createCliAtServiceTime()
    const outcome = await cli.run('login', ...argv)
    expect(outcome).toMatchObject(rejection(2, message))
    expect(listAccountFiles(cli)).toEqual([])
  })

  test('http: for another address than the allowed one', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    await loginWithPassword(cli, service.url, '--profile', 'acme', '--insecure-http')
    expect(readProfiles(cli).profiles.acme?.insecure_http).toBe(true)
    const moved = await loginWithPassword(cli, 'http://acme.example/api/v1', '--profile', 'acme', '--yes')
    expect(moved).toMatchObject(rejection(2, 'not encrypted'))
  })

  test('a redirect URI whose response is pasted, outside a terminal', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    cli.env.TT_CLIENT_SECRET = service.client.client_secret
    const argv = ['--base-url', service.url, '--auth-url', service.origin, '--insecure-storage']
    const client = ['--client-id', service.client.client_id, '--redirect-uri', 'com.example.tt:/cb']
    const outcome = await cli.run('login', ...argv, ...client)
    expect(outcome).toMatchObject(rejection(2, 'Cannot prompt for the address'))
  })

  test('another address for the stored client secret', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    await loginWithOAuth(cli, service)
    const argv = ['login', '--profile', 'acme', '--insecure-storage', '--auth-url', 'http://127.0.0.1:1']
    const outcome = await cli.run(...argv)
    expect(outcome).toMatchObject(rejection(2, 'client secret is missing'))
  })
})

describe('login with OAuth', () => {
  test('accepts the public application whose client ID the start page of the service shows', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    await service.storage.queries.all(sql`delete from applications`)
    const application = { name: 'tt', redirectUris: ['http://127.0.0.1/callback'], isPublic: true }
    await addApplication(service.storage, { ...application, clock: () => new Date() })
    const page = await (await fetch(service.origin)).text()
    const [, url, id = ''] = /tt login --base-url (\S+) --client-id (\w+)</.exec(page) ?? []
    expect(url).toBe(service.url)
    await loginWithOAuth(cli, { ...service, client: { client_id: id, client_secret: '' } })
    expect(await cli.run('tasks')).toMatchObject({ status: 0, stdout: expect.stringContaining('Design') })
  })

  test('revokes the tokens of a failed sign-in', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    const failed = loginWithOAuth(cli, service, { baseUrl: `${service.origin}/nowhere` })
    await expect(failed).rejects.toMatchObject({ code: 'rejected' })
    const grants = await service.storage.queries.all(sql`select revoked_at from grants`)
    expect(grants).toEqual([{ revoked_at: expect.any(Number) }])
    expect(listAccountFiles(cli)).toEqual([])
  })

  test('leads to an error that names a missing scope and the command to get it', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    await loginWithOAuth(cli, service, { scope: 'service:read' })
    expect((await cli.run('log')).status).toBe(0)
    const rejected = await cli.run('start', 'design', '--json')
    expect(rejected).toMatchObject({ status: 5, stdout: '' })
    const hint =
      'Run `tt login --profile acme --scope "service:read service:write"` to sign in with these scopes.'
    const message = expect.stringContaining('service:write')
    const error = { code: 'insufficient_scope', status: 403, message, hint }
    expect(JSON.parse(rejected.stderr)).toEqual({ error })
  })
})

describe('logout', () => {
  test('revokes the tokens and removes the profile', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    const { credentials } = await loginWithOAuth(cli, service)
    const outcome = await cli.run('logout')
    expect(outcome).toMatchObject({ status: 0, stdout: '', stderr: expect.stringContaining('has revoked') })
    expect(listAccountFiles(cli)).toEqual(['profiles.json'])
    expect(readProfiles(cli)).toEqual({ profiles: {} })
    const token = credentials.method === 'oauth' ? credentials.access_token : ''
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`${service.url}/companies`, { headers })).status).toBe(401)
  })

  test('removes its timer from the prompt file, and prints where the remaining data is', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    await loginWithPassword(cli, service.url, '--profile', 'acme')
    await cli.json('start', 'design')
    const line = join(cli.home, 'timer')
    expect(readFileSync(line, 'utf8')).toContain('Design since')
    expect(await cli.run('logout')).toMatchObject({ status: 0, stderr: expect.stringContaining('remain in') })
    expect(existsSync(line)).toBe(false)
  })

  test('a sign-in that fails after the service has issued a key revokes the key', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    const paths = pathsFor(cli.env)
    const target: LoginTarget = {
      ...{ profile: 'acme', baseUrl: service.url, authUrl: service.origin, insecureHttp: false },
      ...{ store: openFileCredentials('acme', paths), storage: 'file', paths, userAgent: 'tt' },
      checkAccount: () => Promise.reject(new Error('Another account.')),
    }
    await expect(loginWithKey(target, { email, password })).rejects.toThrow('Another account.')
    const keys = await service.storage.queries.all(sql`select revoked_at from tokens`)
    expect(keys).toEqual([{ revoked_at: expect.any(Number) }])
    expect(listAccountFiles(cli)).toEqual([])
  })

  test('reports credentials that stay valid: a key and tokens of an unreachable service', async () => {
    const [service, cli] = [await startService(), createCliAtServiceTime()]
    await loginWithPassword(cli, service.url, '--profile', 'byhand')
    await loginWithOAuth(cli, service)
    await service.close()
    for (const [options, words] of [
      [['--profile', 'byhand'], 'The key was not revoked: The service'],
      [[], 'The tokens were not revoked: The service'],
    ] as const)
      expect(await cli.run('logout', ...options)).toMatchObject({
        status: 0,
        stderr: expect.stringContaining(words),
      })
    expect(listAccountFiles(cli)).toEqual(['profiles.json'])
  })

  test.each([
    [{}, [], 2, 'no account to sign out of'],
    [{ TT_BASE_URL: 'https://a.example/api/v1', TT_TOKEN: 'x' }, [], 2, 'comes from TT_BASE_URL'],
    [{}, ['--profile', 'gone'], 3, 'no profile "gone"'],
  ])('fails without an account: %j %j', async (env, argv, status, message) => {
    const cli = createCliAtServiceTime()
    Object.assign(cli.env, env)
    expect(await cli.run('logout', ...argv)).toMatchObject(rejection(status, message))
  })
})

test('after a failed sign-in, the next change in the local workspace warns once', async () => {
  const cli = createCliAtServiceTime()
  const login = ['login', '--key', '--base-url', 'http://127.0.0.1:1/api/v1', '--insecure-storage']
  const failLogin = () =>
    cli.runWithInput('secret\n', ...login, '--email', 'ada@example.com', '--password-stdin')
  const warning = 'The last sign-in failed'
  expect((await failLogin()).status).not.toBe(0)
  expect((await cli.run('log')).stderr).not.toContain(warning)
  expect(await cli.run('start', 'Website/Design')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining(warning),
  })
  expect((await cli.run('stop')).stderr).not.toContain(warning)
})
