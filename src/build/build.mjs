// Builds dist/ and man/. Bundles src with esbuild, split at every lazy import, and groups the modules into packs by the
// commands that load them: `tt status --cached`, the timer, the other everyday commands, completion, the command tree, and
// the rest. A pack is one readable file with a function that defines a function for each of its modules. `load` in
// bin/tt.js calls them, and bin/code-cache.js stores the compiled code on the user's machine. See README.md.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Writable } from 'node:stream'
import { Script } from 'node:vm'
import { build } from 'esbuild'
import { bundling, ownAddress, root } from './bundling.mjs'
import { bundledPackages, licensesOf } from './licenses.mjs'
import { writeManual } from './man.mjs'
import { moduleFunction, rejectCycles } from './module-functions.mjs'

const dist = join(root, 'dist')

/** Command lines whose modules form each pack, without those of the packs before it. */
const runs = {
  status: [['status', '--cached']],
  prompt: [['status', '--cached', '--template', '{label} {duration} {from}']],
  timer: [['start', 'Website/Design', '--notes', 'first page'], ['stop']],
  day: [
    ['status'],
    ['add', 'Website/Review', '--from', '-2h', '--for', '1h30m'],
    ['edit', '@1', '--notes', 'second page'],
    ['log', '--week'],
    ['log', '--json'],
    ['links'],
    ['start', 'nonesuch'],
    // Starts a timer, with which the following commands load more modules.
    ['continue'],
  ],
  report: [
    ['report', '--week'],
    ['report', '--month', '--by', 'month,client,project'],
  ],
  completion: [
    ['__complete', '--', 'start', 'web'],
    ['__complete', '--', 'log', '--project', ''],
    ['__complete', '--', 'rm', ''],
  ],
  overview: [['--help']],
  help: [
    ['help', 'start'],
    ['help', 'time'],
  ],
  rest: [['report', '--by', 'day,project']],
}

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist)
const modules = await bundleModules()
const home = mkdtempSync(join(tmpdir(), 'tt-build-'))
try {
  // Creates the workspace first, so that the packs of everyday commands contain no modules for that.
  await runAll(programOf([wholeScript()]), [...runs.timer, ...runs.day])
  const packs = await findPacks()
  writePacks(packs, namesWithPacks(packs))
  await writeManual()
} finally {
  rmSync(home, { recursive: true, force: true })
}

/** Returns the modules of the program as functions, by file. Writes dist/LICENSES.txt. */
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
  writeFileSync(join(dist, 'LICENSES.txt'), licensesOf(bundledPackages(metafile)))
  const functions = outputFiles.map(({ path, text }) => {
    const file = `./${basename(path)}`
    // V8 reads ASCII text faster. esbuild escapes strings, but not regular expressions and tagged templates.
    const ascii = text.replace(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    return [file, moduleFunction(file, ascii.includes('__url') ? `${ownAddress}${ascii}` : ascii)]
  })
  const modules = Object.fromEntries(functions)
  rejectCycles(modules)
  return modules
}

/** Runs the commands and returns the modules of each pack. */
async function findPacks() {
  const program = programOf([wholeScript()])
  const packs = {}
  const remaining = new Set(Object.keys(modules))
  for (const [pack, lines] of Object.entries(runs)) {
    if (pack !== 'rest') await runAll(program, lines)
    packs[pack] = [...remaining].filter((name) => pack === 'rest' || program.loaded.has(name))
    for (const name of packs[pack]) remaining.delete(name)
  }
  return packs
}

/** Returns the name of each module with its pack: `tt:status/main.js`. */
function namesWithPacks(packs) {
  const names = Object.entries(packs).flatMap(([pack, ids]) =>
    ids.map((id) => [id, id.replace('./', `tt:${pack}/`)]),
  )
  return Object.fromEntries(names)
}

/** Writes the packs. Each begins with a comment that identifies the build. */
function writePacks(packs, names) {
  const texts = Object.entries(packs).map(([name, ids]) => [name, textOf(ids, names)])
  const id = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
  for (const [name, text] of texts) {
    const content = `//${id}\n${text}`
    scriptOf(`${name}.cjs`, content) // Throws for a syntax error.
    writeFileSync(join(dist, `${name}.cjs`), content)
  }
}

function wholeScript() {
  return scriptOf(join(dist, 'whole.cjs'), textOf(Object.keys(modules)))
}

/** Returns the text of a pack, in which modules have the given names. */
function textOf(ids, names = {}) {
  const nameOf = (id) => names[id] ?? id
  const functions = ids.map((id) => `exports[${JSON.stringify(nameOf(id))}]=${modules[id].text(nameOf)};`)
  return `(function(exports,require,module,__filename,__dirname){"use strict";\n${functions.join('\n')}\n})`
}

function scriptOf(filename, text) {
  return new Script(text, { filename })
}

/** Returns `main` of a program that consists of scripts, and its loaded modules. */
function programOf(scripts) {
  const functions = {}
  for (const script of scripts)
    script.runInThisContext()(functions, undefined, undefined, join(dist, 'tt.cjs'))
  const loaded = new Map()
  const native = module.createRequire(join(dist, 'tt.cjs'))
  const load = (name) => {
    if (!(name in functions)) return native(name)
    if (!loaded.has(name)) loaded.set(name, functions[name](load))
    return loaded.get(name)
  }
  return { main: load('./main.js').main, loaded }
}

/** Runs command lines one after the other. Throws Error if one fails. */
async function runAll({ main }, lines) {
  const discard = () => new Writable({ write: (_chunk, _encoding, done) => done() })
  const host = {
    stdin: process.stdin,
    stdout: discard(),
    stderr: discard(),
    promptOutput: discard(),
    env: { TT_HOME: home },
    cwd: () => home,
    now: () => new Date(),
    onInterrupt() {},
    untilStopped: () => new Promise(() => {}),
    interruption: () => new AbortController().signal,
  }
  for (const argv of lines) {
    const status = await main(argv, host)
    if (status === 1) throw new Error(`tt ${argv.join(' ')} failed, so its modules are unknown.`)
  }
}
