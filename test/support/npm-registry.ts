import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { listenOnFreePort } from './ports.js'
import { root } from './process.js'

interface Package {
  name: string
  version: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/**
 * Starts an npm registry with the given packages, such as tt itself, and their installed dependencies; other packages are 404. It stops
 * with the test.
 *
 * @param directory directory for its tarballs
 * @returns its URL
 */
export async function startNpmRegistry(names: readonly string[], directory: string): Promise<string> {
  const modules = realpathSync(join(root, 'node_modules'))
  const packages = new Map<string, Package>()
  const directoryOf = (name: string) => (name === packageIn(root)?.name ? root : join(modules, name))
  const addPackage = (name: string) => {
    const manifest = packages.has(name) ? undefined : packageIn(directoryOf(name))
    if (!manifest) return
    packages.set(name, manifest)
    for (const needed of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }))
      addPackage(needed)
  }
  for (const name of names) addPackage(name)
  const tarballs = new Map<string, Buffer>()
  const packed = await pack([...packages.keys()].map(directoryOf), directory)
  for (const [index, name] of [...packages.keys()].entries())
    tarballs.set(name, readFileSync(join(directory, packed[index]?.tarball ?? '')))

  const server = createServer(({ url = '' }, response) => {
    const [, wantsTarball, encoded = ''] = /^\/(tarballs\/)?(.*)$/.exec(url) ?? []
    // An alias is installed under another name.
    const requestedName = decodeURIComponent(encoded)
    const [key, found] = [...packages].find(([, { name }]) => name === requestedName) ?? []
    const tarball = key && tarballs.get(key)
    if (!found || !tarball) return response.writeHead(404).end('{}')
    if (wantsTarball) return response.end(tarball)
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
    const dist = { tarball: `${origin}/tarballs/${encoded}`, integrity }
    const { name, version } = found
    response.end(
      JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { ...found, dist } } }),
    )
  })
  onTestFinished(() => void server.close())
  onTestFinished(() => server.closeAllConnections())
  const origin = `http://127.0.0.1:${await listenOnFreePort(server)}`
  return origin
}

function packageIn(directory: string): Package | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  } catch {
    return undefined // An optional package for another platform.
  }
}

interface PackedPackage {
  tarball: string
  files: string[]
}

/** Packs packages with one process; returns the name of each tarball and of the files in it. */
export async function pack(
  directories: string[],
  into: string,
  { scripts = false } = {},
): Promise<PackedPackage[]> {
  const argv = ['pack', '--json', '--pack-destination', into, ...(scripts ? [] : ['--ignore-scripts'])]
  const { stdout } = await npm([...argv, ...directories], into)
  // The output of the scripts precedes the JSON.
  const packed = JSON.parse(stdout.slice(stdout.search(/^\[/m))) as {
    filename: string
    files: { path: string }[]
  }[]
  return packed.map(({ filename, files }) => ({ tarball: filename, files: files.map(({ path }) => path) }))
}

/** Runs npm with the current Node and without the configuration of the caller. */
export function npm(argv: string[], home: string, more: Record<string, string> = {}) {
  const script = realpathSync(
    String(process.env.PATH)
      .split(':')
      .map((directory) => join(directory, 'npm'))
      .find((file) => isNpmScript(file)) ?? 'npm',
  )
  return promisify(execFile)(process.execPath, [script, ...argv], {
    cwd: home,
    env: {
      HOME: home,
      PATH: `${join(process.execPath, '..')}:${process.env.PATH}`,
      npm_config_cache: join(home, '.npm'),
      npm_config_update_notifier: 'false',
      npm_config_audit: 'false',
      ...more,
    },
    maxBuffer: 64 * 1024 * 1024,
  })
}

function isNpmScript(file: string): boolean {
  try {
    return realpathSync(file).endsWith('npm-cli.js')
  } catch {
    return false
  }
}
