import { allowInsecureRequests, type CustomFetchOptions, customFetch } from 'oauth4webapi'
import { isJson } from '../../http/error-body.js'
import { networkError } from '../../http/network-errors.js'
import { withTimeout } from '../../http/timeout.js'
import { withTrace } from '../../http/trace.js'
import { type BufferedResponse, bufferResponse, networkTransport } from '../../http/transport.js'
import { withoutSecrets } from './oauth-error.js'

/** An application at an authorization server. */
export interface OAuthClient {
  /** {auth_url} of service-api-v1.md section 1. */
  authUrl: string
  /** undefined for a legacy key, which belongs to no application. */
  clientId: string | undefined
  /** null for a public client. */
  clientSecret: string | null
  insecureHttp?: boolean
  userAgent: string
  /** Receives method, path, status and milliseconds of each request. */
  trace?(line: string): void
  /** Time limit of one request in milliseconds; 10,000 by default. */
  timeoutMs?: number
}

/**
 * Returns the options with which oauth4webapi sends requests through the HTTP layer of this program, with its time limit
 * and trace. Redirects are not followed: secrets are never sent to their target. Throws like `networkError` without a
 * response. Only a success with JSON may contain secrets of the request.
 */
export function requestOptions(client: OAuthClient) {
  return {
    // The transport itself rejects `http:` to other machines.
    [allowInsecureRequests]: true,
    [customFetch]: async (url: string, request: Request): Promise<Response> => {
      const { status, headers, text } = await send(client, url, request)
      const isSuccess = status >= 200 && status <= 299 && isJson(text)
      return new Response((isSuccess ? text : withoutSecrets(text, secretsIn(client, request))) || null, {
        status: Math.min(status, 599), // RFC 9110 section 15: an invalid status is a 5xx.
        headers: { 'retry-after': headers.get('retry-after') ?? '' },
      })
    },
    headers: { 'user-agent': client.userAgent },
  }
}

type Request = CustomFetchOptions<string, URLSearchParams | undefined>

function send(
  { insecureHttp, trace, timeoutMs = 10_000 }: OAuthClient,
  url: string,
  { method, headers, body }: Request,
): Promise<BufferedResponse> {
  const transport = withTrace(networkTransport(insecureHttp), trace)
  const request = { method, headers, body: body?.toString() }
  return withTimeout(timeoutMs, async (signal) =>
    bufferResponse(await transport(url, { ...request, signal })),
  ).catch((error) => {
    throw networkError(error, new URL(url).origin)
  })
}

/** Returns the secrets in a request. The credentials of HTTP Basic contain the client secret encoded as in a form. */
function secretsIn({ clientSecret }: OAuthClient, { headers, body }: Request) {
  const credentials = headers.authorization?.replace('Basic ', '') ?? ''
  const [, encodedSecret] = Buffer.from(credentials, 'base64').toString().split(':')
  const fields = ['code', 'code_verifier', 'refresh_token', 'token'].map((name) => body?.get(name))
  return [clientSecret, credentials, encodedSecret, ...fields]
}
