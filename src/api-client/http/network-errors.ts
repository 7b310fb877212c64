import { TtError } from '../../lib/errors.js'
import { InvalidResponseError, UnreachableError } from '../api-errors.js'

/**
 * Returns the error for a request without a response: TtError `unreachable`, or InvalidResponseError when the body of a
 * response cannot be decompressed. Returns a TtError in the chain of causes unchanged.
 */
export function networkError(error: unknown, service: string): TtError {
  const chain = causes(error)
  const ttError = chain.find((cause) => cause instanceof TtError)
  if (ttError) return ttError
  const decodingError = chain.find((cause) => 'code' in cause && decodingCodes.test(String(cause.code)))
  if (decodingError) {
    const message = `The response of the service at ${service} cannot be decompressed (${decodingError.message}).`
    return new InvalidResponseError(message, { hint: 'Repeat the command later.', cause: error })
  }
  const timeout = chain.find((cause) => cause instanceof TimeoutError)
  const reason = timeout ? `timed out after ${formatMs(timeout.timeoutMs)}` : networkReason(chain)
  return new UnreachableError(`The service at ${service} cannot be reached (${reason}).`, {
    hint: 'Check the network and the base URL.',
    isUnsent: !timeout && chain.some(isBeforeSending),
    cause: error,
  })
}

/** Returns the error and its causes: fetch wraps the reason at least once. */
function causes(error: unknown): Error[] {
  const chain: Error[] = []
  for (let next = error; next instanceof Error && chain.length < 10; next = next.cause) chain.push(next)
  return chain
}

const reasons: [RegExp, string][] = [
  [/^ENOTFOUND$/, 'no such host'],
  [/^EAI_AGAIN$/, 'the host name cannot be resolved'],
  [/^ECONNREFUSED$/, 'connection refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|ECONNABORTED)$/, 'connection lost'],
  [/^(ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, 'no route to the host'],
  [/^(ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/, 'timed out'],
  [/^HPE_|^UND_ERR_HTTP_PARSER$/, 'the response is not HTTP'],
  [/^CERT_HAS_EXPIRED$/, 'the certificate has expired'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'the certificate belongs to another host'],
  [/CERT|SELF_SIGNED|UNABLE_TO_/, 'the certificate is not trusted'],
  [/^(ERR_SSL|ERR_TLS|EPROTO)/, 'the TLS connection failed'],
]

/** Error codes of zlib: the body of a response does not match its Content-Encoding. */
const decodingCodes = /^(Z_(DATA|BUF|STREAM|NEED_DICT)|ERR_BROTLI_|ERR__ERROR_|ZSTD_)/

const connectionCodes = /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL)$/
const tlsCodes = /CERT|SELF_SIGNED|UNABLE_TO_|^EPROTO$|^ERR_SSL_(WRONG_VERSION|\w*HANDSHAKE|\w*PROTOCOL)/

/** Whether the lookup, the connection, the handshake or the certificate failed, which all precede the request. */
function isBeforeSending(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : ''
  // A route may also be lost while waiting for the response.
  const isConnected = 'syscall' in error && ['read', 'write'].includes(String(error.syscall))
  return tlsCodes.test(code) || (connectionCodes.test(code) && !isConnected)
}

function networkReason(chain: Error[]): string {
  const codes = chain.map((cause) => ('code' in cause ? String(cause.code) : ''))
  const known = reasons.find(([pattern]) => codes.some((code) => pattern.test(code)))
  return known?.[1] ?? chain.at(-1)?.message ?? 'unknown reason'
}

function formatMs(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${Math.round(milliseconds / 100) / 10} s`
}

/** The error of a request that exceeds its time limit. `networkError` converts it for callers. */
export class TimeoutError extends Error {
  constructor(readonly timeoutMs: number) {
    super('The time limit is exceeded.')
  }
}

/** A time limit, which may apply to several operations one after the other. */
export interface Timeout {
  /** Aborted when the time limit is exceeded; null without a limit. */
  signal: AbortSignal | null
  /** Resolves like `work`. Throws TimeoutError when it takes too long, even if it ignores the signal. */
  race<Result>(work: Promise<Result>): Promise<Result>
}

/** Creates a time limit; without a number of milliseconds there is none. */
export function createTimeout(timeoutMs: number | undefined): Timeout {
  if (timeoutMs === undefined) return { signal: null, race: (work) => work }
  const controller = new AbortController()
  return {
    signal: controller.signal,
    async race(work) {
      let timer: NodeJS.Timeout | undefined
      const expiry = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          const error = new TimeoutError(timeoutMs)
          reject(error)
          controller.abort(error)
        }, timeoutMs)
      })
      try {
        return await Promise.race([work, expiry])
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** Resolves like `work`. Throws TimeoutError when it takes too long, even if it ignores the signal. */
export function withTimeout<Result>(
  timeoutMs: number | undefined,
  work: (signal: AbortSignal | null) => Promise<Result>,
): Promise<Result> {
  const timeout = createTimeout(timeoutMs)
  return timeout.race(work(timeout.signal))
}

/** Yields the pieces as they arrive. Throws TimeoutError when the next one takes too long. */
export async function* withIdleTimeout<Piece>(
  pieces: AsyncIterable<Piece>,
  timeout: Timeout,
): AsyncGenerator<Piece> {
  const iterator = pieces[Symbol.asyncIterator]()
  let isWaiting = false
  try {
    for (;;) {
      isWaiting = true
      const next = await timeout.race(iterator.next())
      if (next.done) return
      isWaiting = false
      yield next.value
    }
  } finally {
    // A consumer that stops early ends the iterator. One that failed or is still waiting ends by the signal.
    if (!isWaiting) await iterator.return?.()
  }
}
