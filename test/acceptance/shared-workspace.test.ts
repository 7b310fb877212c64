import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test, vi } from 'vitest'
import { checkIntegrity } from '../support/integrity.js'
import { bin, cleanEnvironment, tt, ttJson, waitForExit } from '../support/process.js'
import { startTeam } from '../support/team.js'

const rounds = 6
const parallel = 8

/** Starts `tt watch`, and returns the notes of the entries whose addition it reports. */
async function startWatch(home: string): Promise<Set<string>> {
  const child = spawn(process.execPath, [bin, 'watch', '--json'], {
    env: cleanEnvironment({ TT_HOME: home }),
  })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await waitForExit(child)
  })
  const added = new Set<string>()
  await new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { type, entry } = JSON.parse(line) as { type: string; entry?: { notes: string } }
      if (type === 'state') resolve()
      if (type === 'added' && entry) added.add(entry.notes)
    })
  })
  return added
}

/** Starts `tt mcp` and returns a function that adds an entry with its tool. */
function startMcp(home: string): (notes: string) => Promise<void> {
  const child = spawn(process.execPath, [bin, 'mcp'], { env: cleanEnvironment({ TT_HOME: home }) })
  onTestFinished(async () => {
    child.stdin.end()
    await waitForExit(child)
  })
  const waiting = new Map<number, (message: { result?: { isError?: boolean } }) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as { id: number; result?: { isError?: boolean } }
    waiting.get(message.id)?.(message)
  })
  let next = 0
  const request = (method: string, params: object) =>
    new Promise<{ result?: { isError?: boolean } }>((resolve) => {
      const id = ++next
      waiting.set(id, resolve)
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  const client = {
    ...{ protocolVersion: '2025-06-18', capabilities: {} },
    clientInfo: { name: 'test', version: '1' },
  }
  const initialized = request('initialize', client)
  return async (notes) => {
    await initialized
    const { result } = await request('tools/call', {
      name: 'entry_add',
      arguments: { task: 'design', from: 'yesterday 12:00', for: '1m', notes },
    })
    expect(result?.isError).not.toBe(true)
  }
}

test('commands, tt serve, tt mcp and tt watch use one file without long waits, and lose nothing', async () => {
  const { home, serveProcess, tokens, links } = await startTeam(1)
  const seen = await startWatch(home)
  const addByMcp = startMcp(home)
  await addByMcp('mcp first')
  await vi.waitFor(() => expect(seen).toContain('mcp first'), { timeout: 120_000 })
  const own = ['mcp first']
  let served = 0
  const outputs: string[] = []
  const serveMs: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const mcp = `mcp ${round}`
    own.push(mcp)
    await Promise.all([
      ...Array.from({ length: parallel }, async (_, index) => {
        const notes = `command ${round}.${index}`
        own.push(notes)
        const add = ['add', 'design', '--from', 'yesterday 13:00', '--for', '1m', '-n', notes, '--yes']
        const { status, stderr } = await tt(home, add)
        expect({ notes, status, stderr: status === 0 ? '' : stderr }).toEqual({
          notes,
          status: 0,
          stderr: '',
        })
        outputs.push(stderr)
      }),
      addByMcp(mcp),
      (async () => {
        for (let request = 0; request < 10; request++) {
          const startMs = performance.now()
          const response = await fetch(`${serveProcess.url}/timesheets`, {
            method: 'POST',
            headers: { authorization: `Bearer ${tokens[0]}`, 'content-type': 'application/json' },
            body: JSON.stringify({
              ...{ time_start: '2024-05-01T10:00:00Z', time_end: '2024-05-01T11:00:00Z' },
              task_link_id: links.design,
            }),
          })
          serveMs.push(performance.now() - startMs)
          expect(response.status).toBe(201)
          served++
        }
      })(),
    ])
  }
  const entries = await ttJson<{ notes: string }[]>(home, 'log', '--since', 'yesterday')
  expect(entries.map(({ notes }) => notes).sort()).toEqual([...own].sort())
  const listed = await fetch(`${serveProcess.url}/timesheets`, {
    headers: { authorization: `Bearer ${tokens[0]}` },
  })
  expect(await listed.json()).toHaveLength(served)
  // A command reports a wait of more than a second.
  expect(outputs.filter((text) => text.includes('Waiting:'))).toEqual([])
  // One may wait for a busy machine; commands that keep the file locked delay one in every round.
  expect(serveMs.filter((ms) => ms > 2000).length).toBeLessThan(2)
  await vi.waitFor(() => expect([...seen].sort()).toEqual([...own].sort()), { timeout: 120_000 })
  expect(await checkIntegrity(home)).toMatchObject({ findings: [] })
})
