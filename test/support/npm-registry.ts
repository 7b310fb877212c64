import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { root } from './process.js'

interface Package {
  name: string
  version: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/**
 * A registry of npm on this machine, with what the given packages need and is installed here. Whatever else is asked
 * for is not there. It ends with the test.
 *
 * @param directory where it keeps its tarballs
 * @returns its address
 */
export async function startNpmRegistry(names: readonly string[], directory: string): Promise<string> {
  const modules = realpathSync(join(root, 'node_modules'))
  const packages = new Map<string, Package>()
  const gather = (name: string) => {
    const kept = packages.has(name) ? undefined : packageIn(join(modules, name))
    if (!kept) return
    packages.set(name, kept)
    for (const needed of Object.keys({ ...kept.dependencies, ...kept.optionalDependencies })) gather(needed)
  }
  for (const name of names) gather(name)
  const tarballs = new Map<string, Buffer>()
  for (const name of packages.keys()) {
    const [file] = await pack(join(modules, name), directory)
    tarballs.set(name, readFileSync(join(directory, file)))
  }

  const server = createServer(({ url = '' }, response) => {
    const [, wantsTarball, encoded = ''] = /^\/(tarballs\/)?(.*)$/.exec(url) ?? []
    // An alias is installed under another name than its own.
    const asked = decodeURIComponent(encoded)
    const [place, found] = [...packages].find(([, { name }]) => name === asked) ?? []
    const tarball = place && tarballs.get(place)
    if (!found || !tarball) return response.writeHead(404).end('{}')
    if (wantsTarball) return response.end(tarball)
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
    const dist = { tarball: `${origin}/tarballs/${encoded}`, integrity }
    const { name, version } = found
    response.end(
      JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { ...found, dist } } }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  onTestFinished(() => server.closeAllConnections())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return origin
}

function packageIn(directory: string): Package | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  } catch {
    return undefined // Made for another platform: it was left out here too.
  }
}

/** Packs a package, and answers the name of the tarball and of each file in it. */
export async function pack(
  directory: string,
  into: string,
  { scripts = false } = {},
): Promise<[tarball: string, ...files: string[]]> {
  const argv = ['pack', '--json', '--pack-destination', into, ...(scripts ? [] : ['--ignore-scripts'])]
  const before = new Set(readdirSync(into))
  const { stdout } = await npm([...argv, directory], into)
  // Whatever the scripts say comes before it.
  const [{ files }] = JSON.parse(stdout.slice(stdout.search(/^\[/m))) as [{ files: { path: string }[] }]
  const [tarball = ''] = readdirSync(into).filter((file) => file.endsWith('.tgz') && !before.has(file))
  return [tarball, ...files.map(({ path }) => path)]
}

/** Runs npm with the Node that runs this, and nothing of the caller's configuration. */
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
