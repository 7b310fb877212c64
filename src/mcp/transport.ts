import { type Readable, Transform, Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { TextStream } from '../cli/output/text-stream.js'
import type { Calls } from './calls.js'

/**
 * The connection to a client over standard input and standard output. It closes at the end of the input, after the calls
 * before that are complete, and when the client closes the output.
 */
export class ClientConnection extends StdioServerTransport {
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>
  readonly #input: NodeJS.ReadableStream
  #resolve: () => void = () => {}

  constructor(stdin: NodeJS.ReadableStream, stdout: TextStream, calls: Calls) {
    super(untilIdle(stdin, calls), outputTo(stdout))
    this.#input = stdin
    this.closed = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  override async close(): Promise<void> {
    this.#input.unpipe()
    this.#input.pause()
    await super.close()
    this.#resolve()
  }
}

/** Returns the input, which ends when the calls that it contains are complete, so that each receives its response. */
function untilIdle(stdin: NodeJS.ReadableStream, calls: Calls): Readable {
  const input = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    flush(done) {
      void whenIdle(calls).then(() => done())
    },
  })
  stdin.on('error', () => input.end()) // The client is gone.
  return stdin.pipe(input)
}

async function whenIdle(calls: Calls): Promise<void> {
  // The server accepts a message, and writes a response, in the turn of the event loop after it arrived.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise(setImmediate)
    await calls.idle()
  }
}

function outputTo(stdout: TextStream): Writable {
  return new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => void stdout.write(text, done),
  })
}
