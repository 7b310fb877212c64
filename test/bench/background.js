// Measures commands in a terminal on a slow service, compared with the local workspace.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { serve } from './service.js'
import { line, measure, node, outputOf, tt, verdict, write } from './timing.js'

const delays = [0, 200, 4000]
const changes = [['start', 'Website/Design'], ['stop'], ['add', 'Website/Design', '1m', '--yes']]
/** The pause after each command, in which the process that sends its change starts. */
const pauseMs = 500
const changeBound = 1.4
/** Upper bounds of `tt status`: a ratio, and milliseconds with the delays. */
const statusBounds = { ratio: 2, delays: 1, longest: 1300 }
const password = 'a password of the benchmark'

/** @param {string} directory */
export async function reportBackground(directory) {
  if (spawnSync('script', ['--version']).status !== 0) {
    write(
      '\nA terminal is missing: script (util-linux) is not installed, so interactive commands are not measured.\n',
    )
    return
  }
  const serviceHome = join(directory, 'background-service')
  mkdirSync(serviceHome)
  const database = ['--database', `sqlite:${join(serviceHome, 'team.db')}`]
  runTt(serviceHome, ['admin', 'user', 'add', 'ada@example.com', '--password-stdin', ...database], password)
  runTt(serviceHome, ['admin', 'projects', 'add', 'Website', ...database])
  runTt(serviceHome, ['admin', 'tasks', 'add', 'Website/Design', ...database])
  const service = await serve(serviceHome, database)
  const local = join(directory, 'background-local')
  runTt(local, ['add', 'Website/Design', '--from', '-2h', '--for', '1h'])
  const proxies = await Promise.all(delays.map((delay) => startProxy(service.url, delay)))
  try {
    const homes = proxies.map(({ url, delay }) => {
      const home = join(directory, `background-${delay}`)
      const account = ['--base-url', url, '--email', 'ada@example.com']
      runTt(home, ['login', '--key', ...account, '--password-stdin', '--insecure-storage'], password)
      for (const argv of [['tasks'], ['company'], ['log'], ['status']]) runTt(home, argv)
      return { home, name: `service with ${delay} ms` }
    })
    const profiles = [{ home: local, name: 'local workspace' }, ...homes]
    reportCommands(profiles, changes)
    // While a change is delivered, the list is read twice.
    await setTimeout(10_000)
    reportCommands(profiles, [['status']])
  } finally {
    for (const { stop } of proxies) stop()
    await service.stop()
  }
}

/**
 * @param {{ home: string, name: string }[]} profiles the local workspace first
 * @param {string[][]} lines
 */
function reportCommands(profiles, lines) {
  const commands = lines.flatMap((argv) =>
    profiles.map(({ home, name }) => ({ ...inTerminal(argv), name: `tt ${argv[0]}, ${name}`, home })),
  )
  const medians = measure(commands, pauseMs)
  for (const [command = ''] of lines) {
    const [[baseline, baselineMs] = ['', 1], ...others] = [...medians].filter(([name]) =>
      name.startsWith(`tt ${command},`),
    )
    write(`\n${baseline}, in a terminal: ${baselineMs.toFixed(1)} ms\n`)
    const atOnceMs = others[0]?.[1] ?? 0
    for (const [index, [name, ms]] of others.entries()) {
      const ratio = ms / baselineMs
      const delay = delays[index] ?? 0
      const text =
        command !== 'status'
          ? verdict(ratio, changeBound, '')
          : delay === 0
            ? verdict(ratio, statusBounds.ratio, '')
            : delay > 1000
              ? verdict(ms, statusBounds.longest, ' ms')
              : verdict((ms - atOnceMs) / delay, statusBounds.delays + 0.2, ' delays more')
      write(`${line(name, ms, ratio)}${text}\n`)
    }
  }
}

/**
 * Returns a command that runs `tt` in a terminal.
 *
 * @param {string[]} argv
 */
function inTerminal(argv) {
  const words = [node, tt, ...argv].map((word) => `'${word}'`).join(' ')
  return { program: 'script', argv: ['-qec', words, '/dev/null'], env: { TERM: 'xterm' } }
}

/**
 * @param {string} home
 * @param {string[]} argv
 * @param {string} [input]
 */
function runTt(home, argv, input) {
  return outputOf({ name: `tt ${argv.join(' ')}`, argv: [tt, ...argv], home, ...(input ? { input } : {}) })
}

/**
 * @param {string} target
 * @param {number} delay
 */
async function startProxy(target, delay) {
  const script = fileURLToPath(new URL('delaying-proxy.js', import.meta.url))
  const child = spawn(node, [script, target, String(delay)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(child.stdout, 'data')
  return { url: `http://127.0.0.1:${String(port).trim()}/api/v1`, delay, stop: () => void child.kill() }
}
