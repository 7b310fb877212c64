import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sql } from '../../src/service/storage/sql.js'
import {
  createCliAtServiceTime,
  loginWithOAuth,
  loginWithPassword,
  readCredentials,
  type Service,
  startService,
} from './login-fixtures.js'

test('an OAuth sign-in shows company, address, method, scopes, expiry and the location of the secrets', async () => {
  const [service, cli] = [await startService(), createCliAtServiceTime()]
  await loginWithOAuth(cli, service)
  expect(await cli.json('whoami')).toEqual({
    ...{ profile: 'acme', base_url: service.url, auth_url: service.origin, method: 'oauth' },
    ...{ company: 'Acme', company_id: 1, client_id: service.client.client_id },
    ...{ scope: 'service:read service:write', expires_at: '2024-05-08T14:00:00.000Z' },
    ...{ secrets: join(cli.home, 'credentials', 'acme.json'), signed_in: true },
  })
  const { stdout } = await cli.runInTerminal(120, 'whoami')
  for (const words of ['Acme', service.url, 'OAuth', 'service:read service:write', 'acme.json']) {
    expect(stdout).toContain(words)
  }
})

test('a legacy key has no scopes and no expiry, and the local workspace needs no sign-in', async () => {
  const [service, cli] = [await startService(), createCliAtServiceTime()]
  const local = { profile: 'local', base_url: null, method: 'local', secrets: null, signed_in: true }
  expect(await cli.json('whoami')).toMatchObject(local)
  await loginWithPassword(cli, service.url)
  expect(await cli.json('whoami')).toMatchObject({
    ...{ method: 'key', company: 'Acme', scope: null, expires_at: null, signed_in: true },
  })
})

test('an account from the environment is shown, also when its token is rejected', async () => {
  const [service, cli] = [await startService(), createCliAtServiceTime()]
  await loginWithOAuth(cli, service)
  const secrets = readCredentials(cli)
  cli.env.TT_BASE_URL = service.url
  cli.env.TT_TOKEN = secrets.method === 'oauth' ? secrets.access_token : ''
  const account = { profile: 'environment', method: 'token', secrets: 'TT_TOKEN' }
  expect(await cli.json('whoami')).toMatchObject({ ...account, company: 'Acme', signed_in: true })
  cli.env.TT_TOKEN = 'tt_wrong'
  const rejected = await cli.run('whoami', '--json')
  expect(rejected).toMatchObject({ status: 0, stderr: expect.stringContaining('does not accept the token') })
  expect(rejected.json()).toMatchObject({ ...account, company: null, signed_in: false })
})

const removeReadScope = sql`update tokens set scopes = 'service:write'`

test.each<[string, (service: Service) => Promise<unknown>, string]>([
  ['a connection', ({ close }) => close(), 'cannot be reached'],
  ['the scope for reading', ({ storage }) => storage.queries.all(removeReadScope), 'service:read'],
])('without %s, the cached facts are shown', async (_, remove, message) => {
  const [service, cli] = [await startService(), createCliAtServiceTime()]
  await loginWithOAuth(cli, service)
  await remove(service)
  const outcome = await cli.run('whoami', '--json')
  expect(outcome).toMatchObject({ status: 0, stderr: expect.stringContaining(message) })
  expect(outcome.json()).toMatchObject({
    ...{ profile: 'acme', company: null, scope: 'service:read service:write', signed_in: true },
  })
})

test('an expired sign-in is reported with the command to sign in again', async () => {
  const [service, cli] = [await startService(), createCliAtServiceTime()]
  await loginWithOAuth(cli, service)
  await service.storage.queries.all(sql`update grants set revoked_at = 1`)
  await service.storage.queries.all(sql`update tokens set revoked_at = 1`)
  for (const _ of ['the command that detects the expiry', 'the next one']) {
    const outcome = await cli.run('whoami', '--json')
    expect(outcome).toMatchObject({ status: 0, stderr: expect.stringContaining('has ended') })
    expect(outcome.stderr).toContain('tt login --profile acme')
    expect(outcome.json()).toMatchObject({ profile: 'acme', method: 'oauth', signed_in: false })
  }
  const { client_secret } = service.client
  expect(readCredentials(cli)).toMatchObject({ access_token: '', client_secret })
  expect(await cli.run('log')).toMatchObject({ status: 4, stdout: '' })
  const { stdout } = await cli.runInTerminal(120, 'whoami')
  expect(stdout).toContain('the sign-in has expired')
})
