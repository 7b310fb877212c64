import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createIdentityProvider } from '../../../../src/service/oauth/identity-provider/identity-provider.js'
import { listenOnFreePort } from '../../../support/ports.js'

const attempt = {
  state: 'state',
  nonce: 'nonce',
  codeVerifier: 'v'.repeat(43),
  redirectUri: 'http://127.0.0.1/back',
}
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const newKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Starts a provider that publishes one key and signs ID tokens with another, and identifies the user of a response. */
async function identify(signingKey: KeyObject, publishedKey: KeyObject) {
  const bodies: Record<string, object> = {}
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(bodies[url]))
  })
  onTestFinished(() => void server.close())
  const issuer = `http://127.0.0.1:${await listenOnFreePort(server)}`
  const seconds = Math.floor(Date.now() / 1000)
  const claims = {
    ...{ iss: issuer, sub: '1', aud: 'tt', exp: seconds + 60, iat: seconds, nonce: 'nonce' },
    ...{ email: 'ada@example.com', email_verified: true },
  }
  const text = `${encode({ alg: 'RS256', kid: '1' })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(text), signingKey).toString('base64url')
  const endpoints = { authorization_endpoint: `${issuer}/a`, token_endpoint: `${issuer}/token` }
  const key = { ...publishedKey.export({ format: 'jwk' }), kid: '1', alg: 'RS256', use: 'sig' }
  Object.assign(bodies, {
    '/.well-known/openid-configuration': { issuer, ...endpoints, jwks_uri: `${issuer}/keys` },
    '/keys': { keys: [key] },
    '/token': { access_token: 'x', token_type: 'Bearer', id_token: `${text}.${signature}` },
  })
  const settings = { issuer: new URL(issuer), clientId: 'tt', clientSecret: undefined, name: 'ID' }
  const provider = createIdentityProvider(settings)
  return provider.identify(new URL('http://127.0.0.1/back?code=x&state=state'), attempt)
}

test('accepts an ID token with the signature of the provider only', { tags: 'slow' }, async () => {
  const [own, other] = [newKeys(), newKeys()]
  expect(await identify(own.privateKey, own.publicKey)).toMatchObject({
    subject: '1',
    email: 'ada@example.com',
  })
  await expect(identify(other.privateKey, own.publicKey)).rejects.toThrow(/signature/)
})
