// Measures short commands compared with bare Node, on each installed Node.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bare, measure, node, report, run, tt, write } from './timing.js'

/** The newest Node with long-term support. */
const otherMajor = 24

const bounds = {
  'tt --version': 1.2,
  'tt status --cached': 1.5,
  'tt status --cached --template': 1.5,
  'tt __complete': 1.5,
  'tt start (local workspace)': 2,
  'tt stop (local workspace)': 2,
  'tt --help': 1.5,
}

/**
 * Returns the executables to measure: the current Node, and Node 24 from the npm package `node`.
 *
 * @param {string} directory
 */
export function nodes(directory) {
  if (versionOf(node).startsWith(`v${otherMajor}.`)) return [node]
  const argv = ['install', '--no-save', '--prefix', directory, `node@${otherMajor}`]
  const installation = spawnSync('npm', argv, { encoding: 'utf8' })
  const other = join(directory, 'node_modules', 'node', 'bin', 'node')
  if (existsSync(other)) return [node, other]
  write(
    `Node ${otherMajor} is missing: npm could not install node@${otherMajor} (${installation.error?.message ?? installation.stderr.trim().split('\n').at(-1)}).\n`,
  )
  return [node]
}

/** @param {string} program */
export function versionOf(program) {
  return spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim()
}

/**
 * @param {string} program
 * @param {string} directory
 */
export function reportStart(program, directory) {
  const home = join(directory, `start-${versionOf(program)}`)
  const commands = [
    bare,
    { name: 'tt --version', argv: [tt, '--version'], home },
    { name: 'tt start (local workspace)', argv: [tt, 'start', 'Website/Design', '-q'], home },
    { name: 'tt status --cached', argv: [tt, 'status', '--cached'], home },
    {
      name: 'tt status --cached --template',
      argv: [tt, 'status', '--cached', '--template', '{label} {duration}'],
      home,
    },
    { name: 'tt __complete', argv: [tt, '__complete', '--', 'start', 'web'], home },
    { name: 'tt stop (local workspace)', argv: [tt, 'stop', '-q'], home },
    { name: 'tt --help', argv: [tt, '--help'], home },
  ].map((command) => ({ ...command, program }))
  // Creates the workspace, its tasks and the compiled code for the later runs.
  for (const command of commands) run(command)
  write(`\nStarting, Node ${versionOf(program)}\n`)
  report(measure(commands), bounds)
}
