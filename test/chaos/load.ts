import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpsClient } from '../support/https-client.js'
import { tt } from '../support/process.js'

/** What the clients have sent, and which responses they got. */
export interface Load {
  /** The notes of all entries whose creation was confirmed. */
  confirmed: Set<string>
  /** Responses by status, and `no response`. */
  statuses: Record<string, number>
  /** Ends the load, and waits until the outcome of every change is known. */
  stop(): Promise<void>
}

interface LoadOptions {
  tokens: string[]
  link: number
  home: string
  fetch: HttpsClient
  /** The file of the certificate of the service. */
  authority: string
}

/** Starts generated requests of several users, and commands of the real client. */
export function startLoad(url: string, { tokens, link, home, fetch, authority }: LoadOptions): Load {
  const load = { confirmed: new Set<string>(), statuses: {} as Record<string, number> }
  let isRunning = true
  const isOver = () => !isRunning
  const count = (status: string | number) => {
    load.statuses[status] = (load.statuses[status] ?? 0) + 1
  }

  /** Repeats a request until there is a response other than 502 and 503, as a client does. */
  async function send(token: string, method: string, path: string, body?: object, key?: string) {
    for (;;) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(key ? { 'idempotency-key': key } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(20_000),
      }).catch(() => undefined)
      const text = await response?.text().catch(() => undefined)
      count(response && text !== undefined ? response.status : 'no response')
      const isFinal = response && text !== undefined && ![502, 503].includes(response.status)
      if (isFinal) return { status: response.status, text }
      await sleep(100)
    }
  }

  async function generate(token: string, number: number) {
    for (let round = 0; !isOver(); round++) {
      const notes = `generated ${number}-${round}`
      const entry = { time_start: '2024-05-01T09:00:00Z', notes, task_link_id: link }
      const created = await send(token, 'POST', '/timesheets', entry, `key-${number}-${round}`)
      if (created.status >= 400) continue
      load.confirmed.add(notes)
      const { id } = JSON.parse(created.text) as { id: number }
      await send(token, 'PATCH', `/timesheets/${id}`, { time_end: '2024-05-01T10:00:00Z' })
      await send(token, 'GET', '/timesheets?per_page=20')
      if (round % 10 === 0) await send(token, 'GET', '/timesheets')
    }
  }

  async function runCommands(token: string) {
    const env = { TT_BASE_URL: url, TT_TOKEN: token, NODE_EXTRA_CA_CERTS: authority }
    for (let round = 0; !isOver(); round++) {
      const notes = `command ${round}`
      const entry = ['--from', '2024-05-01 09:00', '--for', '15m', '-n', notes]
      const { status } = await tt(home, ['add', 'Website/Design', ...entry, '--yes', '--no-input'], env)
      if (status === 0) load.confirmed.add(notes)
    }
    for (let attempt = 0; attempt < 30; attempt++) {
      const { status } = await tt(home, ['sync', '--no-input'], env)
      const pending = await tt(home, ['sync', 'list', '--json'], env)
      if (status === 0 && pending.stdout.trim() === '[]') return
      await sleep(3000)
    }
  }

  const [commandToken = '', ...generatedTokens] = tokens
  const clients = [
    runCommands(commandToken),
    ...generatedTokens.map((token, number) => generate(token, number)),
  ]
  return {
    ...load,
    async stop() {
      isRunning = false
      await Promise.all(clients)
    },
  }
}
