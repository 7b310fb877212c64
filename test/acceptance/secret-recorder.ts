import { createServer, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { listenOnFreePort } from '../support/ports.js'

/** A proxy in front of a service that records every secret in requests and responses. */
export interface SecretRecorder {
  /** Its origin; the service needs it as `--public-url`. */
  origin: string
  forwardTo(url: string): void
  /** Names of the recorded secrets, such as `code`, by value. */
  secrets: Map<string, string>
}

const names = ['client_secret', 'code', 'code_verifier', 'password', 'refresh_token', 'access_token']

export async function startSecretRecorder(): Promise<SecretRecorder> {
  const secrets = new Map<string, string>()
  const record = (fields: Iterable<[string, unknown]>) => {
    for (const [name, value] of fields)
      if (names.includes(name) && typeof value === 'string') secrets.set(value, name)
  }
  let target: URL | undefined
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      record(new URLSearchParams(body.toString()))
      const { method = 'GET', url: path = '/', headers } = incoming
      const outgoing = request(new URL(path, target), { method, headers }, (upstreamResponse) => {
        const parts: Buffer[] = []
        upstreamResponse.on('data', (part) => parts.push(part))
        upstreamResponse.on('end', () => {
          const text = Buffer.concat(parts)
          if (upstreamResponse.headers['content-type']?.includes('json'))
            record(Object.entries(JSON.parse(`${text}`)))
          response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers).end(text)
        })
      })
      outgoing.on('error', () => response.destroy())
      outgoing.end(body)
    })
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const origin = `http://127.0.0.1:${await listenOnFreePort(server)}`
  return {
    origin,
    forwardTo(url) {
      target = new URL(url)
    },
    secrets,
  }
}
