import { displayUrl } from './base-url.js'
import type { HttpOptions, HttpResponse, RequestOptions } from './http.js'
import { networkError } from './network-errors.js'
import { followRedirects } from './redirects.js'
import { checkMethod, requestHeaders, requestUrl, withLowerCaseNames } from './request.js'
import { statusError, tokenAdvice } from './status-errors.js'
import { createTimeout, type Timeout } from './timeout.js'
import { withTrace } from './trace.js'
import {
  type BufferedResponse,
  bufferResponse,
  networkTransport,
  type StreamedResponse,
  viaFetch,
} from './transport.js'

/** A 2xx response with the result of reading its body. */
interface Success<Body> extends Pick<HttpResponse, 'status' | 'headers' | 'url'> {
  body: Body
}

/** The outcome of sending a request once. */
type Attempt<Body> =
  | { success: Success<Body>; failure?: undefined }
  | { success?: undefined; failure: BufferedResponse; url: URL }

type ReadBody<Body> = (response: StreamedResponse, timeout: Timeout) => Promise<Body>

/**
 * Returns the function that sends one request, and repeats it with another token after a 401. It reads the body of a 2xx
 * response with `read`, and throws the TtErrors of `Http.request` for any other response.
 */
export function createExchange(options: HttpOptions, base: URL) {
  const { userAgent, signInAdvice = tokenAdvice } = options
  const service = displayUrl(base)
  const defaultTimeoutMs = options.timeoutMs ?? (options.fetch ? undefined : 10_000)
  const send = withTrace(
    options.fetch ? viaFetch(options.fetch) : networkTransport(options.insecureHttp),
    options.trace,
  )

  /** Sends the request once, within its time limit. */
  function attempt<Body>(
    method: string,
    address: URL,
    requested: RequestOptions,
    token: string,
    read: ReadBody<Body>,
  ): Promise<Attempt<Body>> {
    const { body, headers, accept, timeoutMs = defaultTimeoutMs } = requested
    const timeout = createTimeout(timeoutMs)
    const request = {
      method,
      headers: {
        ...withLowerCaseNames(headers),
        ...requestHeaders(token, { userAgent, body, accept, signInAdvice }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: timeout.signal,
    }
    const work = async () => {
      const { response, url } = await followRedirects(send, address, request)
      const { status } = response
      return status >= 200 && status <= 299
        ? { success: { status, headers: response.headers, url, body: await read(response, timeout) } }
        : { failure: await bufferResponse(response), url }
    }
    return timeout.race(work()).catch((error) => {
      throw networkError(error, service)
    })
  }

  return async function exchange<Body>(
    method: string,
    path: string,
    request: RequestOptions,
    read: ReadBody<Body>,
  ): Promise<Success<Body>> {
    const verb = checkMethod(method, request.body)
    const address = requestUrl(base, path, request.query)
    const progress = options.withProgress?.()
    try {
      const token = await options.token(request.skipsRefresh ?? false)
      let outcome = await attempt(verb, address, request, token, read)
      if (outcome.failure?.status === 401) {
        const newToken = await options.refreshToken?.(token)
        if (newToken !== undefined) outcome = await attempt(verb, address, request, newToken, read)
      }
      if (outcome.success) {
        options.onResponse?.(outcome.success.headers)
        return outcome.success
      }
      const { failure, url } = outcome
      throw statusError({ method: verb, path: url.pathname, service }, failure, signInAdvice)
    } finally {
      progress?.end()
    }
  }
}
