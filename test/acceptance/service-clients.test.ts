import { copyFileSync, existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as oauth from 'oauth4webapi'
import { expect, test } from 'vitest'
import { cleanEnvironment, root, run, temporaryDirectory } from '../support/process.js'
import {
  authorize,
  expectSuccess,
  runWithInput,
  startTestService,
  type TestService,
} from '../support/sign-in.js'

const sources = join(root, 'test', 'generated-client')
const packages = join(sources, 'node_modules')
const missingReason = existsSync(packages)
  ? undefined
  : 'openapi-typescript is not installed: npm ci --prefix test/generated-client'
const insecure = { [oauth.allowInsecureRequests]: true }
const redirect = 'http://127.0.0.1:50123/callback'

test('a client generated from /openapi.json compiles, and uses every operation of the API', async ({
  skip,
}) => {
  skip(missingReason !== undefined, missingReason)
  const service = await startTestService()
  await addRecords(service)
  const directory = await compileGeneratedClient(service)
  const tokens = await signIn(service, 'service:read service:write')
  const reading = await signIn(service, 'service:read')
  const env = cleanEnvironment({
    SERVICE_ORIGIN: new URL(service.url).origin,
    SERVICE_TOKEN: tokens.access_token,
    SERVICE_READ_TOKEN: reading.access_token,
    SERVICE_EMAIL: service.email,
    SERVICE_PASSWORD: service.password,
  })
  const program = join(directory, 'out', 'resources.test.js')
  const { status, stdout } = await run(process.execPath, ['--test-reporter=spec', program], { env })
  expect(status, stdout).toBe(0)
  const [, used = '[]'] = /used: (\[.*\])/.exec(stdout) ?? []
  const paths = Object.entries((await readDocument(service)).paths)
  const operations = paths.flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const ofApi = operations.filter((operation) => operation.includes(' /api/v1/'))
  expect(ofApi.length).toBeGreaterThan(15)
  expect(JSON.parse(used)).toEqual(expect.arrayContaining(ofApi))
})

/** Adds the project Acme/Website with two tasks, an assignment and an expense type. */
async function addRecords({ home, email }: TestService) {
  for (const argv of [
    ['company', '--currency', 'EUR', '--time-zone', 'Europe/Berlin'],
    ['projects', 'add', 'Acme/Website'],
    ['tasks', 'add', 'Acme/Website/Design'],
    ['tasks', 'add', 'Acme/Website/Review'],
    ['assign', email, 'Acme/Website', '--from', '2024-01-01'],
    ['expense-types', 'add', 'Travel'],
  ]) {
    await expectSuccess(runWithInput(home, '', ['admin', ...argv]))
  }
}

interface ApiDocument {
  paths: Record<string, Record<string, unknown>>
}

async function readDocument({ url }: TestService): Promise<ApiDocument> {
  return (await (await fetch(new URL('/openapi.json', url))).json()) as ApiDocument
}

/**
 * Generates the types of the served document, and compiles the client with them in a directory outside of the checkout.
 * The compilation fails for a mistake in `mistakes.ts` that is no type error.
 */
async function compileGeneratedClient(service: TestService): Promise<string> {
  const directory = temporaryDirectory()
  for (const file of readdirSync(sources).filter((name) => /\.(ts|json)$/.test(name)))
    copyFileSync(join(sources, file), join(directory, file))
  symlinkSync(packages, join(directory, 'node_modules'))
  writeFileSync(join(directory, 'openapi.json'), JSON.stringify(await readDocument(service)))
  for (const argv of [
    ['openapi-typescript', 'openapi.json', '--output', 'schema.ts'],
    ['tsc', '--pretty', 'false'],
  ]) {
    const [program = '', ...words] = argv
    const outcome = await run(join(packages, '.bin', program), words, { cwd: directory })
    expect(outcome, outcome.stdout + outcome.stderr).toMatchObject({ status: 0 })
  }
  return directory
}

/** Signs in with the authorization code flow and PKCE, with all checks of oauth4webapi. */
async function signIn(service: TestService, scope: string): Promise<oauth.TokenEndpointResponse> {
  const issuer = new URL(new URL(service.url).origin)
  const discovery = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  const server = await oauth.processDiscoveryResponse(issuer, discovery)
  const client = { client_id: service.clientId }
  const secret = oauth.ClientSecretBasic(service.clientSecret)
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  const address = new URL(server.authorization_endpoint ?? '')
  address.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirect,
    response_type: 'code',
    scope,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  }).toString()
  const parameters = oauth.validateAuthResponse(server, client, await authorize(address, service), state)
  const response = await oauth.authorizationCodeGrantRequest(
    ...[server, client, secret, parameters, redirect, verifier, insecure],
  )
  return oauth.processAuthorizationCodeResponse(server, client, response)
}
