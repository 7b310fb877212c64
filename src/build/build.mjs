// Builds dist/ and man/. Bundles src with esbuild, split at every lazy import, and groups the modules into packs by the
// commands that load them. A pack is one readable file with a function that defines a function for each of its modules.
// `load` in bin/tt.js calls them, and bin/code-cache.js stores the compiled code on the user's machine. See README.md.
import { createHash } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Script } from 'node:vm'
import { build } from 'esbuild'
import { bundling, ownAddress, root } from './bundling.mjs'
import { writeManual } from './documents/man.mjs'
import { bundledPackages, licensesOf, versionsOf } from './licenses.mjs'
import { moduleFunction, rejectCycles } from './module-functions.mjs'
import { scriptHost } from './script-host.mjs'

/**
 * @typedef {{ main: typeof import('../main.js').main, loaded: Map<string, any> }} Program
 */

const dist = join(root, 'dist')
const startTimer = ['start', 'Website/Design', '--notes', 'first page']

/**
 * Command lines whose modules form each pack, without those of the packs before it. The last pack has the remaining modules.
 *
 * @type {Record<string, string[][]>}
 */
const runs = {
  status: [
    ['status', '--cached'],
    ['status', '--cached', '--template', '{label} {duration} {from}'],
    ['--help'],
    // Completing opens one pack.
    ['__complete', '--', 'start', 'web'],
  ],
  timer: [startTimer, ['stop']],
  everyday: [
    ['status'],
    ['add', 'Website/Review', '--from', '-2h', '--for', '1h30m'],
    ['edit', '@1', '--notes', 'second page'],
    ['log', 'week'],
    ['log', '--json'],
    ['tasks'],
    ['start', '99'],
    ['continue'],
    // With a timer, these commands load more modules.
    ['report', 'week'],
    ['report', 'month', '--by', 'month,client,project'],
    ['__complete', '--', 'log', '--project', ''],
    ['__complete', '--', 'rm', ''],
    ['help', 'start'],
    ['help', 'time'],
  ],
  // Only a terminal shows the rows of the day: these run in one.
  day: [[], ['status']],
  // With a service that does not respond, and with one that does: in a terminal, in a script, and in the process that
  // sends changes.
  service: [
    ['__deliver', 'service', 'service', 'http://127.0.0.1:9/api/v1'],
    ['start', 'Website/Design'],
    ['stop'],
    ['add', 'Website/Design', '--from', '-2h', '--for', '1h'],
    ['status'],
    ['log', 'week'],
    ['start', 'Website/Design', '--wait'],
    ['stop', '--wait'],
  ],
  // The schemas and the protocol library are large, and no other command needs them.
  mcp: [['mcp']],
}
const lastPack = 'rest'
/** Modules of much data that few commands use: each has a pack of its own. */
const largeModules = ['common-passwords', 'jq-output', 'windows-zones']

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist)
const modules = await bundleModules()
const home = mkdtempSync(join(tmpdir(), 'tt-build-'))
try {
  // Creates the workspace first, so that the packs of everyday commands contain no modules for that.
  await runAll(wholeProgram(), [
    startTimer,
    ['stop'],
    ['add', 'Website/Review', '--from', '-2h', '--for', '1h'],
  ])
  writePacks(await findPacks())
  copyFileSync(createRequire(import.meta.url).resolve('jq-wasm/jq.wasm'), join(dist, 'jq.wasm'))
  await writeManual()
} finally {
  rmSync(home, { recursive: true, force: true })
}

/** Returns the modules of the program as functions, by file. Writes dist/LICENSES.txt and packages.json. */
async function bundleModules() {
  const { outputFiles, metafile } = await build({
    ...bundling,
    entryPoints: ['src/main.ts'],
    outdir: dist,
    write: false,
    splitting: true,
    minifyIdentifiers: true,
    format: 'esm',
    metafile: true,
  })
  const packages = bundledPackages(metafile)
  writeFileSync(join(dist, 'LICENSES.txt'), licensesOf(packages))
  writeFileSync(join(dist, 'packages.json'), `${JSON.stringify(versionsOf(packages), null, 2)}\n`)
  const functions = outputFiles.map(({ path, text }) => {
    const file = `./${basename(path)}`
    return [file, moduleFunction(file, text.includes('__url') ? `${ownAddress}${text}` : text)]
  })
  const modules = Object.fromEntries(functions)
  rejectCycles(modules)
  return modules
}

/** Runs the commands and returns the files of each pack. */
async function findPacks() {
  const program = wholeProgram()
  const remaining = new Set(Object.keys(modules))
  /** @type {Record<string, string[]>} */
  const packs = {}
  for (const [pack, lines] of Object.entries(runs)) {
    const run = () =>
      runAll(program, lines, ['day', 'service'].includes(pack) ? 80 : undefined, pack === 'service')
    if (pack !== 'service') await run()
    else {
      for (const running of [undefined, await startService()]) {
        const profile = writeServiceProfile(running)
        await run()
        await running?.stop()
        rmSync(profile)
      }
    }
    packs[pack] = [...remaining].filter((file) => program.loaded.has(file))
    for (const file of packs[pack]) remaining.delete(file)
  }
  for (const name of largeModules) {
    packs[name] = [...remaining].filter((file) => file.startsWith(`./${name}-`))
    if (packs[name].length === 0) throw new Error(`The bundle has no module ${name}.`)
    for (const file of packs[name]) remaining.delete(file)
  }
  packs[lastPack] = [...remaining]
  return packs
}

/**
 * Makes a profile of a service the current one. Returns the file to remove after it.
 *
 * @param {{ url: string, token: string }} [service] a service that responds
 */
function writeServiceProfile({ url, token } = { url: 'http://127.0.0.1:9/api/v1', token: 'key' }) {
  const addresses = { base_url: url, auth_url: new URL(url).origin }
  const profile = { ...addresses, method: 'key', storage: 'file', state: 'service' }
  const file = join(home, 'profiles.json')
  writeFileSync(file, JSON.stringify({ profiles: { service: profile }, current: 'service' }), { mode: 0o600 })
  mkdirSync(join(home, 'credentials'), { recursive: true, mode: 0o700 })
  const credentials = { method: 'key', key: token, ...addresses }
  writeFileSync(join(home, 'credentials', 'service.json'), JSON.stringify(credentials), { mode: 0o600 })
  return file
}

/** Starts the service of the program, with a task and a user, on a free port. */
async function startService() {
  const program = wholeProgram()
  const database = ['--database', `sqlite:${join(home, 'team.db')}`, '--json']
  const output = await runAll(program, [
    ['admin', 'projects', 'add', 'Website', ...database],
    ['admin', 'tasks', 'add', 'Website/Design', ...database],
    ['admin', 'user', 'add', 'ada@example.com', ...database],
  ])
  const { token } = JSON.parse(output)
  const events = new EventEmitter()
  const host = {
    ...scriptHost({ home, write: (text) => events.emit('output', text) }),
    untilStopped: () => once(events, 'stop').then(() => {}),
  }
  const started = once(events, 'output')
  const ended = program.main(['serve', '--port', '0', '--log-level', 'error', ...database], host)
  const { url } = JSON.parse((await started)[0])
  const stop = () => {
    events.emit('stop')
    return ended
  }
  return { url, token, stop }
}

/**
 * Returns code with escapes for all other characters, which occur only in texts and patterns: V8 reads ASCII faster.
 *
 * @param {string} code
 */
function toAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * Writes the packs. Each begins with a comment that identifies the build. The name of a module contains its pack:
 * `tt:status/main.js`.
 *
 * @param {Record<string, string[]>} packs
 */
function writePacks(packs) {
  const names = new Map(
    Object.entries(packs).flatMap(([pack, files]) =>
      files.map((file) => [file, file.replace('./', `tt:${pack}/`)]),
    ),
  )
  const texts = Object.entries(packs).map(([pack, files]) => {
    return /** @type {const} */ ([pack, packText(files, (file) => names.get(file) ?? file)])
  })
  const id = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
  for (const [pack, text] of texts) {
    const content = toAscii(`//${id}\n${text}`)
    new Script(content, { filename: `${pack}.cjs` }) // Throws for a syntax error.
    writeFileSync(join(dist, `${pack}.cjs`), content)
  }
}

/**
 * @param {string[]} files
 * @param {(file: string) => string} nameOf
 */
function packText(files, nameOf) {
  const functions = files.map(
    (file) => `functions[${JSON.stringify(nameOf(file))}]=${modules[file]?.text(nameOf)};`,
  )
  return `(function(functions,__filename,__dirname){"use strict";\n${functions.join('\n')}\n})`
}

/**
 * Returns the program with all modules. Loads only the first.
 *
 * @returns {Program}
 */
function wholeProgram() {
  const filename = join(dist, 'whole.cjs')
  const text = packText(Object.keys(modules), (file) => file)
  /** @type {Record<string, (require: (name: string) => any) => any>} */
  const functions = {}
  new Script(text, { filename }).runInThisContext()(functions, filename, dist)
  const native = createRequire(filename)
  /** @type {Map<string, any>} */
  const loaded = new Map()
  /** @param {string} name */
  const load = (name) => {
    const define = functions[name]
    if (!define) return native(name)
    if (!loaded.has(name)) loaded.set(name, define(load))
    return loaded.get(name)
  }
  return { main: load('./main.js').main, loaded }
}

/**
 * Runs command lines one after the other. Returns the output of the last. Throws Error if one fails.
 *
 * @param {Program} program
 * @param {string[][]} lines
 * @param {number} [columns] the width of the terminal; without it, the output is no terminal
 * @param {boolean} [isInteractive] whether the input is a terminal, too
 */
async function runAll({ main }, lines, columns, isInteractive) {
  let output = ''
  for (const argv of lines) {
    output = ''
    const write = (/** @type {string} */ text) => {
      output += text
    }
    const status = await main(argv, scriptHost({ home, write, columns, isInteractive }))
    if (status === 1) throw new Error(`tt ${argv.join(' ')} failed, so its modules are unknown:\n${output}`)
  }
  return output
}
