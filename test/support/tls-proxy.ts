import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { replaceAll } from './hosting-page.js'
import { findFreePort, isListening } from './ports.js'
import { cleanEnvironment, root, run, temporaryDirectory } from './process.js'

export const proxyNames = ['nginx', 'caddy', 'haproxy'] as const

/** Creates a self-signed certificate for localhost with openssl; `combined` has the key as well. It is removed with the test. */
export async function createCertificate() {
  const directory = temporaryDirectory()
  const [certificate, key] = [join(directory, 'fullchain.pem'), join(directory, 'privkey.pem')]
  const combined = join(directory, 'combined.pem')
  const { status, stderr } = await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
    ...['-keyout', key, '-out', certificate],
  ])
  if (status !== 0) throw new Error(`openssl: ${stderr}`)
  writeFileSync(combined, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
  return { certificate, key, combined }
}

/**
 * Starts a proxy in front of the ports of the servers of a service, with its example in docs/hosting/ except for addresses
 * and files. It stops with the test. Only HAProxy distributes requests to several servers.
 *
 * @returns its address, such as https://localhost:8443, and the port of http that it redirects to it
 */
export async function startTlsProxy(
  name: (typeof proxyNames)[number],
  { servicePorts, certificate }: Pick<ProxyValues, 'servicePorts' | 'certificate'>,
) {
  const [port, httpPort] = [await findFreePort(), await findFreePort()]
  const directory = temporaryDirectory()
  const values = { directory, port, httpPort, servicePorts, certificate }
  const [program = '', ...argv] = { nginx: nginxCommand, caddy: caddyCommand, haproxy: haproxyCommand }[name](
    values,
  )
  const child = spawn(program, argv, {
    env: cleanEnvironment({ HOME: directory }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const exit = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    // Caddy waits for open requests, such as those of a test that has failed.
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
    await exit
    clearTimeout(timer)
  })
  while (!(await isListening(new URL(`http://127.0.0.1:${port}`)))) {
    if (child.exitCode !== null) throw new Error(`${name} exited with ${child.exitCode}: ${output}`)
    await sleep(20)
  }
  return { origin: `https://localhost:${port}`, httpPort }
}

interface ProxyValues {
  directory: string
  port: number
  httpPort: number
  servicePorts: number[]
  certificate: Awaited<ReturnType<typeof createCertificate>>
}

const service = '127.0.0.1:8320'

/** Returns the text of an example with the ports of the service, and these replacements. */
function example(file: string, { servicePorts }: ProxyValues, replacements: Record<string, string>): string {
  const text = readFileSync(join(root, 'docs', 'hosting', file), 'utf8')
  const lines = text.split('\n').flatMap((line) =>
    // A line such as "server tt1 127.0.0.1:8320 check" is repeated for each server.
    line.includes(service)
      ? servicePorts.map((port, index) =>
          line.replaceAll(service, `127.0.0.1:${port}`).replace('tt1', `tt${index + 1}`),
        )
      : [line],
  )
  return replaceAll(lines.join('\n'), replacements)
}

function nginxCommand(values: ProxyValues): string[] {
  const { directory, port, httpPort, certificate } = values
  const site = example('nginx.conf', values, {
    'listen 80;': `listen 127.0.0.1:${httpPort};`,
    'listen 443 ': `listen 127.0.0.1:${port} `,
    'time.example.com': 'localhost',
    '/etc/ssl/tt/fullchain.pem': certificate.certificate,
    '/etc/ssl/tt/privkey.pem': certificate.key,
  })
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(directory, name)};`,
  )
  const file = join(directory, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${join(directory, 'nginx.pid')};
error_log stderr;
events {}
http {
access_log off;
${temporary.join('\n')}
${site}
}
`,
  )
  return ['nginx', '-e', 'stderr', '-c', file]
}

function caddyCommand(values: ProxyValues): string[] {
  const { directory, port, httpPort, certificate } = values
  const file = join(directory, 'Caddyfile')
  const global = ['admin off', 'default_bind 127.0.0.1', `http_port ${httpPort}`, `https_port ${port}`]
  writeFileSync(
    file,
    example('Caddyfile', values, {
      'time.example.com {': `localhost {\ntls ${certificate.certificate} ${certificate.key}`,
      '\n{\n': `\n{\n${global.join('\n')}\n`,
    }),
  )
  return ['caddy', 'run', '--config', file, '--adapter', 'caddyfile']
}

function haproxyCommand(values: ProxyValues): string[] {
  const { directory, port, httpPort, certificate } = values
  const file = join(directory, 'haproxy.cfg')
  writeFileSync(
    file,
    example('haproxy.cfg', values, {
      'bind :80': `bind 127.0.0.1:${httpPort}`,
      'bind :443': `bind 127.0.0.1:${port}`,
      '/etc/ssl/tt/time.example.com.pem': certificate.combined,
    }),
  )
  return ['haproxy', '-db', '-f', file]
}
