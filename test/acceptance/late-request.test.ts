import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  bin,
  cleanEnvironment,
  isInstalled,
  run,
  startProcess,
  startServe,
  temporaryDirectory,
  tt,
} from '../support/process.js'
import { type Fault, noFault, startProxy } from '../support/proxy.js'
import { createCertificate, startTlsProxy } from '../support/tls-proxy.js'

test('an abandoned edit that a server behind HAProxy applies late undoes no newer edit', async ({ skip }) => {
  const missing = ['haproxy', 'openssl'].find((program) => !isInstalled(program))
  skip(missing !== undefined, `${missing} is not installed`)
  const { servers, edit, startEdit, notes } = await setUp()

  for (let round = 1; round <= 4; round++) {
    const held = new Promise<() => Promise<number>>((resolve) => {
      const hold: Fault = async (request, forward) => {
        if (request.method !== 'PATCH') return forward()
        resolve(async () => (await forward()).status)
        await request.closed
        return undefined
      }
      for (const server of servers) server.fault = hold
    })
    const abandoned = startEdit(`abandoned ${round}`)
    const applyLate = await held
    abandoned.child.kill('SIGKILL')
    await abandoned.exit
    for (const server of servers) server.fault = noFault

    await edit(`newer ${round}`)
    expect(await applyLate()).toBe(412)
    expect(await notes()).toBe(`newer ${round}`)
  }
})

/** Starts a service behind two servers of HAProxy, with one entry. */
async function setUp() {
  const admin = temporaryDirectory()
  const database = `sqlite:${join(admin, 'team.db')}`
  const manage = async (...argv: string[]) =>
    JSON.parse((await tt(admin, ['admin', ...argv, '--database', database, '--json'])).stdout) as unknown
  await manage('projects', 'add', 'Website')
  await manage('tasks', 'add', 'Website/Design')
  const { token } = (await manage('user', 'add', 'ada@example.com')) as { token: string }
  const { url } = await startServe(['--database', database, '--quiet'], {
    ...{ TT_HOME: temporaryDirectory(), TT_PUBLIC_URL: 'https://localhost', TT_TRUST_PROXY: '1' },
  })
  const servers = [await startProxy(url), await startProxy(url)]
  const certificate = await createCertificate()
  const { origin } = await startTlsProxy('haproxy', {
    servicePorts: servers.map((server) => Number(new URL(server.origin).port)),
    certificate,
  })
  const env = cleanEnvironment({
    ...{ TT_HOME: temporaryDirectory(), TT_BASE_URL: `${origin}/api/v1`, TT_TOKEN: token },
    NODE_EXTRA_CA_CERTS: certificate.certificate,
  })
  const command = async (...argv: string[]) => {
    const { status, stdout, stderr } = await run(process.execPath, [bin, ...argv], { env })
    expect({ argv, status, stderr }).toMatchObject({ status: 0 })
    return stdout
  }
  await command('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'first page')
  return {
    servers,
    edit: (text: string) => command('edit', '1', '-n', text),
    startEdit: (text: string) => startProcess(process.execPath, [bin, 'edit', '1', '-n', text], { env }),
    notes: async () => (JSON.parse(await command('show', '1', '--json')) as { notes: string }).notes,
  }
}
