/** What is known about a request, for the access log and the metrics. */
export interface RequestTrace {
  readonly id: string
  /** The authenticated user. */
  userId?: number | undefined
  /** When the request was complete, by `performance.now()`: before its body unless that has arrived. */
  receivedAtMs?: number
  /** See `RequestEnd`; undefined until the response begins. */
  responseMs?: number | undefined
}

/** The end of a request. */
export interface RequestEnd {
  method: string
  path: string
  /** The status that was sent; 499 if the client disconnected before. */
  status: number
  /** Until the last byte of the response was sent, or the connection ended. */
  durationMs: number
  /**
   * From the end of the request to the beginning of the response, or until the client disconnected before it. Undefined if the
   * request was incomplete then.
   */
  responseMs: number | undefined
  /** Whether the connection ended before the response was complete. */
  isAborted: boolean
}

/** Observes every request to a listener. */
export interface RequestObserver {
  /** Called with the X-Request-Id header of a request. */
  begin(requestId: string | undefined): RequestTrace
  end(trace: RequestTrace, end: RequestEnd): void
}
