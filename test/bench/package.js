// Measures the size of the package and the time of its installation.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { versionOf } from './start.js'
import { write } from './timing.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * @param {readonly string[]} nodes
 * @param {string} directory
 */
export function reportPackage(nodes, directory) {
  write('\nThe package\n')
  // Packs the existing build; with scripts, npm would build it again with its own Node.
  const packed = npm(['pack', root, '--json', '--ignore-scripts', '--pack-destination', directory], directory)
  if (packed.status !== 0) return write(`  missing: it could not be packed (${lastLine(packed.stderr)}).\n`)
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(packed.stdout)
  write(`  ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} unpacked, ${entryCount} files\n`)
  for (const node of nodes) {
    const prefix = join(directory, `installed-${versionOf(node)}`)
    const argv = [
      'install',
      '--global',
      '--prefix',
      prefix,
      '--no-audit',
      '--no-fund',
      join(directory, filename),
    ]
    const startedMs = performance.now()
    const installed = npm(argv, directory, join(node, '..'))
    const elapsed = `${((performance.now() - startedMs) / 1000).toFixed(1)} s`
    if (installed.status !== 0) {
      write(`  installed with Node ${versionOf(node)}: missing (${lastLine(installed.stderr)})\n`)
      continue
    }
    const [kilos] = spawnSync('du', ['-sk', prefix], { encoding: 'utf8' }).stdout.split('\t')
    write(
      `  installed with Node ${versionOf(node)} in ${elapsed} from an empty cache, ${Number(kilos)} kB with dependencies\n`,
    )
  }
}

/**
 * @param {string[]} argv
 * @param {string} directory
 * @param {string} [bin] the directory of Node
 */
function npm(argv, directory, bin) {
  const path = [bin, process.env.PATH].filter(Boolean).join(':')
  const cache = join(directory, `npm-${Date.now()}`)
  const env = { ...process.env, PATH: path, npm_config_cache: cache, npm_config_update_notifier: 'false' }
  return spawnSync('npm', argv, { cwd: directory, env, encoding: 'utf8' })
}

/** @param {string} text */
function lastLine(text) {
  return text.trim().split('\n').at(-1)
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${Math.round(bytes / 1000).toLocaleString('en')} kB`
}
