import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ClientConnection } from '../../../src/mcp/transport.js'

const request = (id: number, method = 'tools/call') => ({ jsonrpc: '2.0' as const, id, method })
const response = (id: number) => ({ jsonrpc: '2.0' as const, id, result: {} })

/** Connects a server that handles messages with `receive`, after a while, and ends the input after these messages. */
async function converse(
  messages: object[],
  receive: (connection: ClientConnection, id: number) => Promise<void>,
): Promise<number[]> {
  const stdin = new PassThrough()
  const output: string[] = []
  const connection = new ClientConnection(stdin, {
    write: (text, done) => {
      output.push(text)
      done?.()
    },
  })
  connection.onmessage = (message) => {
    if ('method' in message && 'id' in message) void receive(connection, Number(message.id)).catch(() => {})
  }
  await connection.start()
  for (const message of messages) stdin.write(`${JSON.stringify(message)}\n`)
  stdin.end()
  await connection.closed
  return output.map((line) => JSON.parse(line).id)
}

describe('ClientConnection', () => {
  test('closes after the last response, however long it takes', async () => {
    const ids = await converse([request(1), request(2)], async (connection, id) => {
      await pause(id * 30)
      await connection.send(response(id))
    })
    expect(ids).toEqual([1, 2])
  })

  test('does not wait for a cancelled request, nor for one that only the client could complete', async () => {
    const cancellation = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    const ids = await converse([request(1), cancellation, request(2)], async (connection, id) => {
      if (id === 2) await connection.send(request(7, 'elicitation/create'))
    })
    expect(ids).toEqual([7])
  })

  test('sends to a slow client without warnings, in order', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error) => warnings.push(warning)
    process.on('warning', onWarning)
    onTestFinished(() => void process.off('warning', onWarning))
    const lines: string[] = []
    const connection = new ClientConnection(new PassThrough(), {
      write: (text, done) => {
        lines.push(text)
        setImmediate(() => done?.())
      },
    })
    await connection.start()
    const ids = Array.from({ length: 60 }, (_, index) => index)
    const large = 'x'.repeat(20_000)
    await Promise.all(ids.map((id) => connection.send({ ...response(id), result: { large } })))
    await pause(0)
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(ids)
    expect(warnings).toEqual([])
  })

  test('does not wait for a subscription', async () => {
    expect(await converse([request(1, 'subscriptions/listen')], async () => {})).toEqual([])
  })
})
