// Starts servers on the first core and reads their processor time.
import { spawn, spawnSync } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { waitUntilListening } from '../service.js'
import { node } from '../timing.js'
import { cpuMsOf } from './processor-time.js'

const hasTaskset = spawnSync('taskset', ['--version']).status === 0

/**
 * @typedef {object} Server
 * @property {string} name for errors
 * @property {string} url the base URL
 * @property {() => number} cpuMs the processor time that it has used; NaN where the system does not show it
 * @property {() => Promise<void>} stop
 */

/**
 * Moves a process with all its threads to one core, if the system can.
 * @param {number} pid
 * @param {number} core
 */
export function pin(pid, core) {
  if (hasTaskset) spawnSync('taskset', ['-apc', String(core), String(pid)])
}

/**
 * Starts a server that prints its URL, on the first core.
 * @param {string[]} argv of Node
 * @param {string} log the file for its stderr
 * @param {string} home
 * @returns {Promise<Server>}
 */
export async function startServer(argv, log, home) {
  const [program = '', ...rest] = [...(hasTaskset ? ['taskset', '-c', '0'] : []), node, ...argv]
  const child = spawn(program, rest, {
    env: { PATH: process.env.PATH, TT_HOME: home },
    stdio: ['ignore', 'pipe', openSync(log, 'w')],
  })
  const listening = await waitUntilListening(
    child,
    () => `${argv.join(' ')} ended before it listened: ${readFileSync(log, 'utf8')}`,
  )
  return { ...listening, name: basename(log, '.log'), cpuMs: () => cpuMsOf(child.pid ?? 0) }
}
