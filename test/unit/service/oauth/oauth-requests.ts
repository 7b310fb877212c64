import { expect } from 'vitest'
import { type OAuthTestService, origin, password } from './test-service.js'

const email = 'ada@example.com'

/** A request to the authorization server that succeeds when the database is available, also after a failure. */
export interface OAuthRequest {
  name: string
  /** Whether it only reads the database. */
  isRead?: true
  send(): Promise<{ status: number; headers: Headers; text?: string }>
  /** The status of its success. */
  status: number
}

/** Prepares one request of each kind, with the tokens, codes and pages that it needs. */
export async function prepareOAuthRequests(service: OAuthTestService): Promise<OAuthRequest[]> {
  const sendForm = (path: string, fields: Record<string, string>) => async () => {
    const body = new URLSearchParams(fields)
    const response = await service.send(new Request(`${origin}${path}`, { method: 'POST', body }))
    const { status, headers } = response
    return { status, headers, text: await response.text() }
  }
  const credentials = { email, password, application: 'tt' }
  const { text } = await sendForm('/api/v1/authenticate', credentials)()
  const { api_key: key } = JSON.parse(text) as { api_key: string }
  const grants = [await service.exchangeCode(await service.authorizationCode())]
  grants.push(await service.exchangeCode(await service.authorizationCode()))
  const [refreshed, revoked] = grants.map((grant) => grant.refresh_token)
  const code = await service.authorizationCode()
  const [signingIn, consenting] = [service.browser(), service.browser()]
  const signInPage = await signingIn.open(service.authorization())
  const consentPage = await consenting.signIn(service.authorization(), email, password)
  const request = (name: string, status: number, send: OAuthRequest['send']) => ({ name, status, send })
  return [
    {
      ...request('sign-in page', 200, () => service.browser().open(service.authorization())),
      isRead: true,
    },
    request('sign-in', 303, () => signingIn.press(signInPage, 'sign-in', { email, password })),
    request('consent', 303, () => consenting.press(consentPage, 'allow')),
    request('code', 200, () => service.exchangeCode(code)),
    request('refresh', 200, () => service.refresh(refreshed ?? '')),
    request('revocation', 200, () => service.post('/oauth/revoke', { token: revoked ?? '' })),
    request('legacy key', 200, sendForm('/api/v1/authenticate', credentials)),
    request('revocation of a legacy key', 200, sendForm('/oauth/revoke', { token: key })),
  ]
}

/** Sends the requests one after the other, and expects 503 with Retry-After, without details of the database. */
export async function expectUnavailable(requests: readonly OAuthRequest[]): Promise<void> {
  for (const { name, send } of requests) {
    const { status, headers, text = '' } = await send()
    expect([name, status, headers.get('Retry-After')]).toEqual([name, 503, '2'])
    expect(text).not.toMatch(/sqlite|postgres|127\.0\.0\.1:5|ECONN|locked/i)
  }
}

/** Sends the requests again, and expects that the failure has used up nothing. */
export async function expectSuccess(requests: readonly OAuthRequest[]): Promise<void> {
  for (const { name, send, status: success } of requests) {
    const { status } = await send()
    expect([name, status]).toEqual([name, success])
  }
}
