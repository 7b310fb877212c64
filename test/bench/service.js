// Starts a `tt serve` with a user, and servers that do not respond.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { node, outputOf, tt } from './timing.js'

/**
 * @typedef {object} Server
 * @property {string} url the base URL
 * @property {number} port
 * @property {() => Promise<void>} stop
 *
 * @typedef {object} Account
 * @property {number} link the id of the task link Website/Design
 * @property {string} token
 * @property {Record<string, string>} env the environment with which `tt` uses it
 *
 * @typedef {Server & Account} Service
 */

/**
 * Creates a database in the directory `home`, and serves it on a free port of 127.0.0.1.
 * @param {string} home
 * @returns {Promise<Service>}
 */
export async function startService(home) {
  /** @param {string[]} argv */
  const admin = (...argv) =>
    outputOf({ name: `admin ${argv.join(' ')}`, argv: [tt, 'admin', ...argv, '--json'], home })
  const database = ['--database', `sqlite:${join(home, 'team.db')}`]
  const { token } = JSON.parse(admin('user', 'add', 'ada@example.com', ...database))
  admin('projects', 'add', 'Website', ...database)
  const { id: link } = JSON.parse(admin('tasks', 'add', 'Website/Design', ...database))
  const served = await serve(home, database)
  const env = { TT_BASE_URL: served.url, TT_TOKEN: token }
  return { ...served, token, env, link }
}

/**
 * Serves a database on a free port of 127.0.0.1.
 * @param {string} home
 * @param {string[]} database the options that select it
 * @returns {Promise<Server>}
 */
export async function serve(home, database) {
  const child = spawn(node, [tt, 'serve', '--port', '0', '--log-level', 'warn', '--json', ...database], {
    env: { PATH: process.env.PATH, TT_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const listening = await waitUntilListening(child, () => 'tt serve ended before it listened.')
  return { ...listening, port: Number(new URL(listening.url).port) }
}

/**
 * Returns the URL that a server prints when it listens, and a function that stops it.
 * @param {import('node:child_process').ChildProcess} child
 * @param {() => string} failureMessage if it ends before
 */
export async function waitUntilListening(child, failureMessage) {
  const exited = once(child, 'close')
  let output = ''
  /** @type {string} */
  const url = await new Promise((resolve, reject) => {
    child.stdout?.on('data', (text) => {
      output += text
      const [, found] = /"url": "([^"]+)"/.exec(output) ?? []
      if (found) resolve(found)
    })
    void exited.then(() => reject(new Error(failureMessage())))
  })
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/**
 * Accepts connections at the port and never responds, even while this process is blocked: the system accepts them.
 * @param {number} port
 */
export async function listenWithoutResponse(port) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}) // A client that times out may cut the connection.
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}
