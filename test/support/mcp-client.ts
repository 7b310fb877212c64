import { PassThrough, Writable } from 'node:stream'
import { type CallToolResult, Client } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { onTestFinished } from 'vitest'
import { main } from '../../src/main.js'
import type { TestCli } from './test-cli.js'
import { createTestHost } from './test-host.js'

export interface McpClientOptions {
  /** The arguments after `tt mcp`. */
  argv?: string[]
  /** Asks the user: returns whether the user accepts. Without it, the client cannot ask. */
  ask?: ((question: string) => boolean | Promise<boolean>) | undefined
  /** Whether the client speaks the protocol revision 2025-11-25, with a handshake. */
  isLegacy?: boolean
}

/**
 * Runs `tt mcp` in this process and connects the official client to it.
 *
 * @returns `end` ends standard input and returns the exit status; `lines` are those of standard output
 */
export async function connectMcp(cli: TestCli, { argv = [], ask, isLegacy = false }: McpClientOptions = {}) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const [stderr, lines]: [string[], string[]] = [[], []]
  stdout.on('data', (chunk) => lines.push(...String(chunk).trimEnd().split('\n')))
  const host = createTestHost({
    stdin,
    stdout,
    stderr: new Writable({ write: (chunk, _, done) => done(void stderr.push(String(chunk)) as undefined) }),
    env: cli.env,
    cwd: () => cli.home,
    now: () => new Date(cli.nowMs()),
  })
  const status = main(['mcp', ...argv], host)
  const client = createClient({ ask, isLegacy })
  // The transport of a server has the same two streams: it reads the one and writes the other.
  const transport = new StdioServerTransport(stdout, stdin)
  await Promise.race([client.connect(transport), status.then((code) => rejectExit(code, stderr))])
  const end = () => {
    stdin.end()
    return status
  }
  onTestFinished(async () => void (await end()))
  return { client, end, stderr: () => stderr.join(''), lines }
}

function rejectExit(status: number, stderr: readonly string[]): never {
  throw new Error(`tt mcp exited ${status}: ${stderr.join('')}`)
}

/** Creates the official client. */
export function createClient({ ask, isLegacy = false }: McpClientOptions = {}): Client {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: ask ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: isLegacy ? 'legacy' : 'auto' },
    },
  )
  if (ask) {
    client.setRequestHandler('elicitation/create', async ({ params }) => ({
      action: (await ask(params.message)) ? 'accept' : 'decline',
      content: {},
    }))
  }
  return client
}

/** Calls a tool and returns its structured content. Throws Error for an error of the tool. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const result = await client.callTool({ name, arguments: args })
  if (result.isError || !result.structuredContent) throw new Error(textOf(result))
  return result.structuredContent as Record<string, unknown>
}

/** Calls a tool that needs a confirmation, and calls it again with the code of the error. */
export async function callConfirmed(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const { confirm } = await toolError(client, name, args)
  if (confirm === undefined) throw new Error(`The error of the tool ${name} has no code.`)
  return callTool(client, name, { ...args, confirm })
}

/** Calls a tool that fails, and returns the error; with the code if a confirmation is required. */
export async function toolError(client: Client, name: string, args: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: args })
  if (!result.isError) throw new Error(`The tool ${name} did not fail: ${textOf(result)}`)
  const [first] = result.content
  const advice = result.content.length > 2 && first?.type === 'text' ? first.text : undefined
  const { error, messages } = JSON.parse(textOf(result)) as {
    error: { code: string; message: string; hint: string | null; candidates?: string[] }
    messages?: string[]
  }
  return { error, messages, advice, confirm: advice?.match(/"confirm": "([^"]+)"/)?.[1] }
}

/** Returns the last text block. */
export function textOf({ content }: Pick<CallToolResult, 'content'>): string {
  const block = content.at(-1)
  return block?.type === 'text' ? block.text : ''
}
