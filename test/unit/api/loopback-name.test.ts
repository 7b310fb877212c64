import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run, temporaryDirectory } from '../../support/process.js'
import { script } from '../../support/script.js'

const canMount = spawnSync('unshare', ['-m', 'true']).status === 0

test.for<[string, string[], string]>([
  ['127.0.0.1', [], 'unreachable'],
  ['::1', [], 'unreachable'],
  ['192.0.2.7', [], 'usage office.localhost resolves to 192.0.2.7, which is not a loopback address.'],
  ['192.0.2.7', ['insecure'], 'unreachable'],
])('http: to *.localhost at %s %j ends with %s', async ([address, flags, expected], { skip }) => {
  skip(!canMount, 'this user may not mount a file of hosts')
  // A file of hosts of its own, where this user may mount one; the port is one that nothing listens on.
  const hosts = join(temporaryDirectory(), 'hosts')
  writeFileSync(hosts, `${address} office.localhost\n`)
  const client = await script(`
    import { createHttp } from './src/api/http.ts'
    const insecureHttp = process.argv[2] === 'insecure'
    const http = createHttp({ baseUrl: 'http://office.localhost:9/api/v1', token: () => 'x', userAgent: 'tt', insecureHttp, timeoutMs: 2000 })
    await http.request('GET', '/companies').catch(({ code, message }) => console.log(code, message))
  `)
  const line = `mount --bind ${hosts} /etc/hosts && exec '${process.execPath}' '${client}' ${flags.join(' ')}`
  const outcome = await run('unshare', ['-m', 'sh', '-c', line])
  expect(outcome.stdout.slice(0, expected.length)).toBe(expected)
})
