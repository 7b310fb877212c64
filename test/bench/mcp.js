// Measures a tool call of a running `tt mcp` compared with starting bare Node.
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
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
  const env = { TT_HOME: home, XDG_CACHE_HOME: join(home, 'cache') }
  const client = new Client({ name: 'bench', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ command: node, args: [tt, 'mcp'], env }))
  try {
    /** @type {[bareMs: number[], callMs: number[]]} */
    const [bareMs, callMs] = [[], []]
    for (let call = -3; call < calls; call++) {
      const processMs = run(bare)
      const startedMs = performance.now()
      const { isError } = await client.callTool({ name: 'timer_status' })
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
    await client.close()
  }
}
