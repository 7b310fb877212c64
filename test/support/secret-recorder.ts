import { createServer, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { listenOnFreePort } from './sign-in.js'

/** A proxy in front of a service, which notes every secret that passes. */
export interface SecretRecorder {
  /** Where clients reach it; the service has to know that as its `--public-url`. */
  origin: string
  forwardTo(url: string): void
  /** What was sent or answered under the name of a secret, each with its name: `code`, `access_token` and so on. */
  secrets: Map<string, string>
}

const names = ['client_secret', 'code', 'code_verifier', 'password', 'refresh_token', 'access_token']

export async function startSecretRecorder(): Promise<SecretRecorder> {
  const secrets = new Map<string, string>()
  const note = (fields: Iterable<[string, unknown]>) => {
    for (const [name, value] of fields)
      if (names.includes(name) && typeof value === 'string') secrets.set(value, name)
  }
  let target: URL | undefined
  const server = createServer((asked, answer) => {
    const chunks: Buffer[] = []
    asked.on('data', (chunk) => chunks.push(chunk))
    asked.on('end', () => {
      const body = Buffer.concat(chunks)
      note(new URLSearchParams(body.toString()))
      const { method = 'GET', url: path = '/', headers } = asked
      const onward = request(new URL(path, target), { method, headers }, (answered) => {
        const parts: Buffer[] = []
        answered.on('data', (part) => parts.push(part))
        answered.on('end', () => {
          const text = Buffer.concat(parts)
          if (answered.headers['content-type']?.includes('json')) note(Object.entries(JSON.parse(`${text}`)))
          answer.writeHead(answered.statusCode ?? 502, answered.headers).end(text)
        })
      })
      onward.on('error', () => answer.destroy())
      onward.end(body)
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
