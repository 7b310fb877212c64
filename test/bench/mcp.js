// Measures a tool call of a running `tt mcp` compared with starting bare Node.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bare, median, node, report, run, tt, write } from './timing.js'

const calls = 100
const name = 'timer_status of tt mcp'

/**
 * Measures `timer_status` of the local workspace with a running timer, in turn with bare Node.
 *
 * @param {string} directory
 */
export async function reportMcp(directory) {
  const home = join(directory, 'mcp')
  run({ name: 'tt start', argv: [tt, 'start', 'Website/Design', '-q'], home })
  const env = { PATH: process.env.PATH, TT_HOME: home, XDG_CACHE_HOME: join(home, 'cache') }
  const server = spawn(node, [tt, 'mcp'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const request = client(server)
    const clientInfo = { name: 'bench', version: '1.0.0' }
    await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    /** @type {[bareMs: number[], callMs: number[]]} */
    const [bareMs, callMs] = [[], []]
    for (let call = -3; call < calls; call++) {
      const processMs = run(bare)
      const startedMs = performance.now()
      const { isError } = await request('tools/call', { name: 'timer_status', arguments: {} })
      if (isError) throw new Error('timer_status failed.')
      if (call < 0) continue // The first calls load the command.
      bareMs.push(processMs)
      callMs.push(performance.now() - startedMs)
    }
    write(`\nA running server, median of ${calls} calls\n`)
    const medians = new Map([
      [bare.name, median(bareMs)],
      [name, median(callMs)],
    ])
    report(medians, { [name]: 0.3 })
  } finally {
    server.stdin.end()
  }
}

/**
 * Returns a function that sends a request and resolves to its result.
 *
 * @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, import('node:stream').Readable, null>} server
 * @returns {(method: string, params: object) => Promise<any>}
 */
function client({ stdin, stdout }) {
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  let id = 0
  return async (method, params) => {
    id++
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    const { value } = await lines.next()
    const { result, error } = JSON.parse(value)
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
}
