import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { checkTools, toolCalls } from '../support/mcp-calls.js'
import { callTool, createClient, type McpClientOptions } from '../support/mcp-client.js'
import { bin, cleanEnvironment, run, tt, ttJson, waitForExit } from '../support/process.js'
import { noFault, startProxy } from '../support/proxy.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { readServiceRows, startTeam } from '../support/team.js'
import { createTestCli } from '../support/test-cli.js'

type Environment = Record<string, string>

/** Starts `tt mcp` and connects the official client to it. Both end with the test. */
async function startServer(env: Environment, options: McpClientOptions = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp', ...(options.argv ?? [])],
    env: cleanEnvironment(env) as Environment,
    stderr: 'ignore',
  })
  const client = createClient(options)
  /** What was on standard output and is not the protocol. */
  const invalidOutput: string[] = []
  client.onerror = ({ message }) => void invalidOutput.push(message)
  await client.connect(transport)
  onTestFinished(() => client.close())
  /** Ends the process with SIGKILL. */
  const kill = () => {
    if (transport.pid) process.kill(transport.pid, 'SIGKILL')
  }
  return { client, kill, invalidOutput }
}

/** Creates a home whose entries 1 and 2 belong to one task. */
async function createHome(): Promise<string> {
  const cli = createTestCli(new Date().toISOString())
  for (const [from, to] of [
    ['yesterday 8:00', '9:00'],
    ['yesterday 9:30', '10:00'],
  ] as const)
    await cli.json('add', 'Acme/Website/Design', '--from', from, '--to', to)
  return cli.home
}

/** Starts a service behind a proxy, for an account whose reference data is cached. */
async function setUpService() {
  const team = await startTeam(1)
  const [token = ''] = team.tokens
  const proxy = await startProxy(team.serveProcess.url)
  const cli = createTestCli(new Date().toISOString())
  const env = { TT_HOME: cli.home, TT_BASE_URL: proxy.url, TT_TOKEN: token }
  Object.assign(cli.env, env)
  for (const word of ['tasks', 'log', 'status']) await cli.json(word)
  /** Returns the notes of all entries at the service. */
  const notes = async () =>
    (await readServiceRows(team.serveProcess.url, token)).entry.map((entry) => entry.notes)
  return { proxy, env, token, notes }
}

const addition = (notes: string, minute = 0) => ({
  name: 'entry_add',
  arguments: { task: 'design', from: `yesterday 12:${String(minute).padStart(2, '0')}`, for: '1m', notes },
})

test('the official client calls every tool with valid and invalid input', async () => {
  const { client, invalidOutput } = await startServer({ TT_HOME: await createHome() })
  const { tools } = await client.listTools()
  expect(tools).toHaveLength(Object.keys(toolCalls).length)
  await checkTools(client)
  expect(invalidOutput).toEqual([])
})

test('two servers of one profile make every change once', async () => {
  const home = await createHome()
  const servers = [await startServer({ TT_HOME: home }), await startServer({ TT_HOME: home })]
  const expected: string[] = []
  await Promise.all(
    servers.flatMap(({ client }, server) =>
      Array.from({ length: 8 }, async (_, index) => {
        const notes = `server ${server}, entry ${index}`
        expected.push(notes)
        await callTool(client, 'entry_add', addition(notes, server * 8 + index).arguments)
      }),
    ),
  )
  // Each server sees the changes of the other.
  for (const { client } of servers) {
    const { entries } = await callTool(client, 'entries_list')
    const found = (entries as { notes: string | null }[]).flatMap(({ notes }) => notes ?? [])
    expect(found.sort()).toEqual(expected.sort())
  }
  await callTool(servers[0]?.client as Client, 'timer_start', { task: 'design' })
  expect(await callTool(servers[1]?.client as Client, 'timer_stop')).toMatchObject({
    entry: { running: false },
  })
})

test('keeps and reports changes while the service cannot be reached, and reveals no token', async () => {
  const { proxy, env, token, notes } = await setUpService()
  const { client } = await startServer(env)
  await proxy.close()
  const results = [await client.callTool(addition('offline'))]
  expect(results[0]?.structuredContent).toMatchObject({
    entry: { pending: true, notes: 'offline' },
    messages: expect.arrayContaining([expect.stringContaining('Saved locally: ')]),
  })
  results.push(await client.callTool({ name: 'sync_status', arguments: {} }))
  expect(results[1]?.structuredContent).toMatchObject({ changes: [{ op: 'create', state: 'waiting' }] })
  results.push(await client.callTool({ name: 'timer_status', arguments: {} }))
  await proxy.open()
  expect(await tt(env.TT_HOME ?? '', ['sync'], env)).toMatchObject({ status: 0 })
  results.push(await client.callTool({ name: 'sync_status', arguments: {} }))
  expect(results.at(-1)?.structuredContent).toMatchObject({ changes: [] })
  expect(await notes()).toEqual(['offline'])
  proxy.fault = () => ({ status: 401, headers: {}, body: '' })
  results.push(await client.callTool({ name: 'expenses_list', arguments: {} }))
  expect(results.at(-1)).toMatchObject({ isError: true })
  expect(JSON.stringify(results)).not.toContain(token)
})

test('completes a change whose call the client cancels, and makes it once', async () => {
  const { proxy, env, notes } = await setUpService()
  const { client } = await startServer(env)
  let release = () => {}
  const arrived = new Promise<void>((resolve) => {
    proxy.fault = async ({ method }, forward) => {
      if (method !== 'POST') return forward()
      proxy.fault = noFault
      resolve()
      await new Promise<void>((go) => {
        release = go
      })
      return forward()
    }
  })
  const controller = new AbortController()
  const call = client.callTool(addition('cancelled'), { signal: controller.signal })
  const outcome = call.then(
    () => 'completed',
    () => 'cancelled',
  )
  await arrived
  const queued = new AbortController()
  const waiting = client
    .callTool(addition('never begun', 1), { signal: queued.signal })
    .catch(() => 'cancelled')
  controller.abort()
  queued.abort()
  expect([await outcome, await waiting]).toEqual(['cancelled', 'cancelled'])
  // Reading goes on at once; another change waits for the cancelled one.
  const following = client.callTool(addition('following', 2))
  await client.callTool({ name: 'tasks_find', arguments: {} })
  release()
  expect((await following).isError).not.toBe(true)
  expect((await notes()).sort()).toEqual(['cancelled', 'following'])
})

test.each(['before', 'after'] as const)(
  'makes a change once if the server is killed %s the service executes it',
  async (where) => {
    const { proxy, env, notes } = await setUpService()
    const { client, kill } = await startServer(env)
    proxy.fault = async ({ method }, forward) => {
      if (method !== 'POST') return forward()
      proxy.fault = noFault
      if (where === 'after') await forward()
      kill()
      return undefined
    }
    // On a busy machine the request can time out before the server is killed: the change is pending then.
    const outcome = await callTool(client, 'entry_add', addition('killed').arguments).catch(() => 'killed')
    expect([
      'killed',
      expect.objectContaining({ entry: expect.objectContaining({ pending: true }) }),
    ]).toContainEqual(outcome)
    kill()
    const restarted = await startServer(env)
    expect(await callTool(restarted.client, 'entries_list', { period: 'yesterday' })).toMatchObject({
      entries: [{ notes: 'killed' }],
    })
    // A create whose response was lost is looked up before it is sent again.
    expect(await tt(env.TT_HOME ?? '', ['sync', '--wait'], { ...env })).toMatchObject({ status: 0 })
    expect(await notes()).toEqual(['killed'])
  },
)

test('makes a change at most once if the server is killed at any time', async () => {
  const home = await createHome()
  const seed = chooseSeed('mcp, killed')
  const random = new SeededRandom(seed)
  const made: string[] = []
  for (let round = 0; round < 6; round++) {
    const { client, kill } = await startServer({ TT_HOME: home })
    await client.callTool({ name: 'timer_status', arguments: {} })
    const notes = `round ${round}`
    const call = client.callTool(addition(notes, round)).then(
      () => void made.push(notes),
      () => {},
    )
    await pause(random.next() * 40)
    kill()
    await call
  }
  const entries = await ttJson<{ notes: string | null }[]>(home, 'log')
  const found = entries.flatMap(({ notes }) => notes ?? [])
  expect({ seed, repeated: found.length - new Set(found).size }).toEqual({ seed, repeated: 0 })
  expect({ seed, found }).toEqual({ seed, found: expect.arrayContaining(made) })
})

/** Returns the messages of a client that calls a tool. */
function conversation(params: object): string {
  const clientInfo = { name: 'test', version: '1.0.0' }
  const handshake = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const requests = [
    { id: 1, method: 'initialize', params: handshake },
    { id: 2, method: 'tools/call', params },
  ]
  return requests.map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join('')
}

test('stops on SIGTERM after the change in progress', async () => {
  const { proxy, env, notes } = await setUpService()
  const child = spawn(process.execPath, [bin, 'mcp'], { env: cleanEnvironment(env), stdio: 'pipe' })
  const exit = waitForExit(child)
  proxy.fault = async ({ method }, forward) => {
    if (method === 'POST') child.kill('SIGTERM')
    return forward()
  }
  child.stdin.write(conversation(addition('in progress')))
  expect(await exit).toMatchObject({ status: 0 })
  expect(await notes()).toEqual(['in progress'])
})

const { TT_INSPECTOR: inspector, TT_INSPECTOR_NODE: inspectorNode = process.execPath } = process.env

test('the inspector lists and calls tools', async (context) => {
  if (!inspector || !existsSync(inspector))
    return context.skip('the inspector is missing: set TT_INSPECTOR to its program')
  const home = await createHome()
  const inspect = async (...argv: string[]) => {
    const command = [inspector, '--cli', process.execPath, bin, 'mcp', '-e', `TT_HOME=${home}`, ...argv]
    const { stdout, stderr } = await run(inspectorNode, command, { env: cleanEnvironment({ HOME: home }) })
    return { stderr, value: stdout.trim() === '' ? undefined : JSON.parse(stdout) }
  }
  const { value: list } = await inspect('--method', 'tools/list')
  expect(list.tools).toHaveLength(Object.keys(toolCalls).length)
  const call = (name: string, ...args: string[]) =>
    inspect('--method', 'tools/call', '--tool-name', name, ...args.flatMap((arg) => ['--tool-arg', arg]))
  expect((await call('timer_start', 'task=design', 'notes=inspected')).value).toMatchObject({
    structuredContent: { entry: { notes: 'inspected', running: true } },
  })
  expect((await call('timer_stop', 'at=25:00')).value).toMatchObject({ isError: true })
  expect((await call('timer_stop')).value).toMatchObject({ structuredContent: { entry: { running: false } } })
  const { value: resource } = await inspect('--method', 'resources/read', '--uri', 'tt://timer')
  expect(JSON.parse(resource.contents[0].text)).toMatchObject({ timer: null })
})
