import { createHmac, randomBytes } from 'node:crypto'
import { isObject } from '../../../lib/is-object.js'
import { isSameSecret } from '../../../lib/is-same-secret.js'
import type { SignInAttempt } from './identity-provider.js'

/** The contents of the state that the provider returns unchanged. */
interface StateContents {
  /** The query of the authorization request that the sign-in continues. */
  query: string
  /** Epoch milliseconds. */
  startedAt: number
  random: string
}

const lifetimeMs = 15 * 60_000
const maxQueryLength = 4000

/**
 * Starts an attempt to sign in. The state is signed with the secret of the browser session, and nonce and code verifier are
 * derived from both, so that every node can complete the attempt, and only in the same browser. Returns undefined for a
 * query that is too long for a URL.
 */
export function startAttempt(
  { secret, query, now }: { secret: string; query: string; now: number },
  redirectUri: string,
): SignInAttempt | undefined {
  if (query.length > maxQueryLength) return undefined
  const contents: StateContents = { query, startedAt: now, random: randomBytes(16).toString('base64url') }
  const text = Buffer.from(JSON.stringify(contents)).toString('base64url')
  return createAttempt(`${text}.${sign(secret, 'state', text)}`, secret, redirectUri)
}

/** Returns the attempt with that state, and its query; undefined if it belongs to another browser or is too old. */
export function resumeAttempt(
  { secret, state, now }: { secret: string; state: string; now: number },
  redirectUri: string,
): { attempt: SignInAttempt; query: string } | undefined {
  const [text = '', signature = ''] = state.split('.')
  if (!isSameSecret(signature, sign(secret, 'state', text))) return undefined
  const contents: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
  if (!isObject(contents) || typeof contents.query !== 'string') return undefined
  if (typeof contents.startedAt !== 'number' || now - contents.startedAt > lifetimeMs) return undefined
  return { attempt: createAttempt(state, secret, redirectUri), query: contents.query }
}

function createAttempt(state: string, secret: string, redirectUri: string): SignInAttempt {
  return {
    state,
    redirectUri,
    nonce: sign(secret, 'nonce', state),
    codeVerifier: sign(secret, 'verifier', state),
  }
}

const sign = (secret: string, purpose: string, text: string) =>
  createHmac('sha256', secret).update(`${purpose} ${text}`).digest('base64url')
