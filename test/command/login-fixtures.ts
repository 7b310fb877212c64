import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Credentials, openFileCredentials } from '../../src/api-client/auth/credentials/credentials.js'
import { type LoginResult, loginWithBrowser } from '../../src/api-client/auth/login.js'
import { createSignInDialog } from '../../src/commands/shared/prompts/sign-in-dialog.js'
import { pathsFor } from '../../src/config/paths.js'
import type { Profiles } from '../../src/config/profiles.js'
import { authenticateByToken } from '../../src/service/accounts/authentication.js'
import * as administration from '../../src/service/admin/administration.js'
import { createApp } from '../../src/service/http/app.js'
import { type HostedApp, listen } from '../../src/service/http/listener.js'
import { withAuthorizationServer } from '../../src/service/oauth/authorization-server.js'
import type { Storage } from '../../src/service/storage/storage.js'
import { describedHost } from '../support/described-responses.js'
import { type CommandResult, createTestCli, type TestCli } from '../support/test-cli.js'
import { type PreparedDatabase, preparedSqlite } from '../unit/service/fixtures.js'
import { Browser } from '../unit/service/oauth/browser.js'
import { createAccount, password, passwordCost } from '../unit/service/oauth/test-service.js'

export { password }
export const email = 'ada@example.com'
const start = '2024-05-08T12:00:00Z'

/** A service in this process on a free port, with the user Ada and the task Website/Design. */
export interface Service {
  /** The base URL of the API. */
  url: string
  origin: string
  storage: Storage
  client: { client_id: string; client_secret: string }
  close(): Promise<void>
}

const clock = () => new Date(start)

/** The records that every service has. Returns the application. */
export async function createServiceRecords(storage: Storage): Promise<{ client: Service['client'] }> {
  const client = await createAccount(storage, clock)
  await administration.addLink(storage, { project: 'Website', task: 'Design' })
  return { client }
}

const openDatabase = preparedSqlite(createServiceRecords)

/** @param open opens a database that contains the records of `createServiceRecords` */
export async function startService(): Promise<Service>
export async function startService<Prepared extends { client: Service['client'] }>(
  open: () => Promise<PreparedDatabase<Prepared>>,
): Promise<Service & Prepared>
export async function startService(
  open: () => Promise<PreparedDatabase<{ client: Service['client'] }>> = openDatabase,
): Promise<Service> {
  const { storage, prepared, close: closeDatabase } = await open()
  const app = createApp({ storage, clock, ...authenticateByToken(storage, clock) })
  const network = { publicUrl: undefined, host: '127.0.0.1', trustedProxies: undefined }
  const options = { storage, clock, passwordCost, ...network }
  const server = await listen(withDate(describedHost(withAuthorizationServer(app, options))), {
    host: '127.0.0.1',
    port: 0,
  })
  onTestFinished(async () => {
    await server.close()
    await closeDatabase()
  })
  const { url: origin, close } = server
  return { url: `${origin}/api/v1`, origin, storage, close, ...prepared }
}

/** Returns the app with the time of the service in the responses, instead of that of this machine. */
function withDate(app: HostedApp): HostedApp {
  const { serve } = app
  return {
    async fetch(request, connection) {
      const response = await app.fetch(request, connection)
      response.headers.set('date', clock().toUTCString())
      return response
    },
    serve:
      serve &&
      (async (request, connection) => {
        const response = await serve(request, connection)
        return { ...response, headers: { ...response.headers, date: clock().toUTCString() } }
      }),
  }
}

/** Creates a `TestCli` with the clock of the service. */
export const createCliAtServiceTime = () => createTestCli(start)

/** Runs `tt login --key` and stores the secrets in a file. */
export function loginWithPassword(cli: TestCli, url: string, ...more: string[]): Promise<CommandResult> {
  const argv = ['login', '--key', '--base-url', url, '--insecure-storage', '--password-stdin']
  const who = more.includes('--email') ? [] : ['--email', email]
  return cli.runWithInput(`${password}\n`, ...argv, ...who, ...more)
}

/** Signs in as `tt login` does, as the profile "acme", with a browser that consents. */
export function loginWithOAuth(
  cli: TestCli,
  { url, origin, client }: Service,
  { baseUrl = url, scope = 'service:read service:write' } = {},
): Promise<LoginResult> {
  const paths = pathsFor(cli.env)
  return loginWithBrowser(
    {
      ...{ profile: 'acme', baseUrl, authUrl: origin, insecureHttp: false, userAgent: 'tt' },
      ...{ store: openFileCredentials('acme', paths), storage: 'file', paths },
    },
    {
      clientId: client.client_id,
      clientSecret: client.client_secret,
      scope,
      redirectUri: undefined,
      dialog: createSignInDialog({ print: () => {}, prompts: undefined, openBrowser: consent }),
      signal: new AbortController().signal,
      clock: () => new Date(start),
    },
  )
}

async function consent(url: string): Promise<void> {
  const browser = new Browser(fetch)
  const { location } = await browser.press(await browser.signIn(url, email, password), 'allow')
  void fetch(location ?? '').then((response) => response.text())
}

export function readProfiles(cli: TestCli): Profiles {
  return JSON.parse(readFileSync(join(cli.home, 'profiles.json'), 'utf8'))
}

export function readCredentials(cli: TestCli, profile = 'acme'): Credentials {
  return JSON.parse(readFileSync(join(cli.home, 'credentials', `${profile}.json`), 'utf8'))
}

/** Returns the names of the profile and credentials files. */
export function listAccountFiles(cli: TestCli): string[] {
  return readdirSync(cli.home, { recursive: true, encoding: 'utf8' })
    .filter((name) => /profiles\.json|^credentials.+/.test(name))
    .sort()
}
