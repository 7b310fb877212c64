// How big the package is, and how long it takes to install.
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
  // As it is built: packing it anew would build it with whatever Node npm runs on.
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
    const began = performance.now()
    const installed = npm(argv, directory, join(node, '..'))
    const took = `${((performance.now() - began) / 1000).toFixed(1)} s`
    if (installed.status !== 0) {
      write(`  installed with Node ${versionOf(node)}: missing (${lastLine(installed.stderr)})\n`)
      continue
    }
    const [kilos] = spawnSync('du', ['-sk', prefix], { encoding: 'utf8' }).stdout.split('\t')
    write(
      `  installed with Node ${versionOf(node)} in ${took} from an empty cache, ${Number(kilos)} kB with what it needs\n`,
    )
  }
}

/**
 * @param {string[]} argv
 * @param {string} directory
 * @param {string} [bin] where Node is
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
