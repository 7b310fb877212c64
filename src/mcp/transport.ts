import { type Readable, Transform, Writable } from 'node:stream'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { TextStream } from '../cli/host.js'

/**
 * The connection to a client over standard input and standard output. It closes at the end of the input, after the
 * responses to the requests before that, and when the client closes the output.
 */
export class ClientConnection extends StdioServerTransport {
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>
  readonly #input: NodeJS.ReadableStream
  readonly #requests: OpenRequests
  #resolve: () => void = () => {}
  #sent: Promise<void> = Promise.resolve()

  constructor(stdin: NodeJS.ReadableStream, stdout: TextStream, requests = new OpenRequests()) {
    super(untilAnswered(stdin, requests), outputTo(stdout))
    this.#input = stdin
    this.#requests = requests
    this.closed = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** Starts reading messages, which `onmessage` receives. */
  override async start(): Promise<void> {
    const { onmessage } = this
    this.onmessage = (message) => {
      this.#requests.receive(message)
      onmessage?.(message)
    }
    await super.start()
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    // One at a time: each message that waits for a slow client adds listeners to the output.
    const sent = this.#sent.then(() => super.send(message))
    this.#sent = sent.catch(() => {})
    try {
      await sent
    } finally {
      this.#requests.send(message)
    }
  }

  override async close(): Promise<void> {
    this.#input.unpipe()
    this.#input.pause()
    await super.close()
    this.#resolve()
  }
}

/** Returns the input, which ends when each request that it contains has its response. */
function untilAnswered(stdin: NodeJS.ReadableStream, requests: OpenRequests): Readable {
  const input = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    flush(done) {
      // The last message of the input arrives before this.
      setImmediate(() => void requests.answered().then(() => done()))
    },
  })
  stdin.on('error', () => input.end()) // The client is gone.
  return stdin.pipe(input)
}

function outputTo(stdout: TextStream): Writable {
  return new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => void stdout.write(text, done),
  })
}

/** A request without a response until the connection closes. */
const listenMethod = 'subscriptions/listen'

/** The requests of a client that have no response yet. */
class OpenRequests {
  readonly #ofClient = new Set<unknown>()
  readonly #toClient = new Set<RequestId>()
  #waiting: (() => void)[] = []

  /** Records a message of the client. */
  receive(message: JSONRPCMessage): void {
    if (!('method' in message)) this.#toClient.delete(message.id as RequestId)
    else if ('id' in message) {
      if (message.method !== listenMethod) this.#ofClient.add(message.id)
    } else if (message.method === 'notifications/cancelled') this.#ofClient.delete(message.params?.requestId)
    this.#check()
  }

  /** Records a message to the client. */
  send(message: JSONRPCMessage): void {
    if (!('method' in message)) this.#ofClient.delete(message.id)
    else if ('id' in message) this.#toClient.add(message.id)
    this.#check()
  }

  /**
   * Resolves when each request has its response, except those whose response depends on a further request to the client: it
   * cannot respond once the input has ended.
   */
  answered(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#check()
    })
  }

  #check() {
    if (this.#ofClient.size > this.#toClient.size) return
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
