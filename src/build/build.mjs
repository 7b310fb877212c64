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
import { build, transform } from 'esbuild'
import { bundling, output, ownAddress, root } from './bundling.mjs'
import { bundledPackages, licensesOf } from './licenses.mjs'
import { writeManual } from './man.mjs'

const dist = join(root, 'dist')

/** The commands that are run to find the modules of each pack: those that the packs before it do not have. */
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
    // With a timer for what comes after: `tt status --cached` has more to do then.
    ['continue'],
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

/** What esbuild writes between its helper functions and a module. */
const afterHelpers = 'var stdin_exports={};'
const [helpers = ''] = (await commonJs('import a from "a";export{a}')).split(afterHelpers)
const helperNames = namesOf(helpers)

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist)
const modules = await bundled()
const home = mkdtempSync(join(tmpdir(), 'tt-build-'))
try {
  // What only a new workspace needs is not everyday.
  await runAll(programOf([wholeScript()]), [...runs.timer, ...runs.day])
  const packs = await sorted()
  writePacks(packs, withPacks(packs))
  await writeManual()
} finally {
  rmSync(home, { recursive: true, force: true })
}

/** The modules of the program, by the name under which they require each other; writes whose code they hold. */
async function bundled() {
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
  const named = outputFiles.map(async ({ path, text }) => {
    // What esbuild does for modules of unknown origin, copying their exports twice, these do not need: all are its own.
    const lean = withoutHelpers(await commonJs(text))
      .replace(/module\.exports=__toCommonJS\((\w+)\)/, 'module.exports=$1')
      .replace(/__toESM\((require\("\.\/[^"]+"\))\)/g, '$1')
      // Text of ASCII alone is read at once. esbuild escapes strings, but not regular expressions and tagged templates.
      .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    return [`./${basename(path)}`, lean.includes('__url') ? `${ownAddress}${lean}` : lean]
  })
  return Object.fromEntries(await Promise.all(named))
}

/**
 * An ES module as CommonJS, because V8 stores compiled functions of scripts only.
 *
 * @param {string} text
 */
async function commonJs(text) {
  const { code } = await transform(text, { ...output, format: 'cjs', supported: { 'dynamic-import': false } })
  return code
}

/**
 * A module without the helper functions with which esbuild begins each one. A pack has them once (`helpers`): in the
 * 41 modules of `tt status --cached` they took 1.4 ms.
 *
 * @param {string} code
 */
function withoutHelpers(code) {
  const [before = '', ...rest] = code.split(afterHelpers)
  return rest.length === 1 && namesOf(before).every((name) => helperNames.includes(name))
    ? `${afterHelpers}${rest[0]}`
    : code
}

/** @param {string} code */
function namesOf(code) {
  return [...code.matchAll(/(?<=[ ,])__\w+(?==)/g)].map(([name]) => name)
}

/** Which modules belong into which pack, found by running the commands. */
async function sorted() {
  const program = programOf([wholeScript()])
  const packs = {}
  const left = new Set(Object.keys(modules))
  for (const [pack, lines] of Object.entries(runs)) {
    if (pack !== 'rest') await runAll(program, lines)
    packs[pack] = [...left].filter((name) => pack === 'rest' || program.loaded.has(name))
    for (const name of packs[pack]) left.delete(name)
  }
  return packs
}

/** The names of the modules with the pack that each is in: `tt:status/main.js`. */
function withPacks(packs) {
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
    scriptOf(`${name}.cjs`, content) // Throws where it is not a program.
    writeFileSync(join(dist, `${name}.cjs`), content)
  }
}

function wholeScript() {
  return scriptOf(join(dist, 'whole.cjs'), textOf(Object.keys(modules)))
}

/** The text of a pack, in which modules are called by `names`. */
function textOf(ids, names = {}) {
  const nameOf = (id) => JSON.stringify(names[id] ?? id)
  const functions = ids.map((id) => {
    const code = modules[id].replace(/require\("(\.\/[^"]+)"\)/g, (_, other) => `require(${nameOf(other)})`)
    return `exports[${nameOf(id)}]=function(exports,require,module){${code}\n};`
  })
  return `(function(exports,require,module,__filename,__dirname){${helpers}\n${functions.join('\n')}\n})`
}

function scriptOf(filename, text) {
  return new Script(text, { filename })
}

/** The program out of its scripts, and which of its modules were loaded. */
function programOf(scripts) {
  const functions = {}
  for (const script of scripts)
    script.runInThisContext()(functions, undefined, undefined, join(dist, 'tt.cjs'))
  const loaded = new Map()
  const native = module.createRequire(join(dist, 'tt.cjs'))
  const load = (name) => {
    if (!(name in functions)) return native(name)
    if (!loaded.has(name)) {
      const made = { exports: {} }
      loaded.set(name, made)
      functions[name](made.exports, load, made)
    }
    return loaded.get(name).exports
  }
  return { main: load('./main.js').main, loaded }
}

/** Runs command lines one after the other. */
async function runAll({ main }, lines) {
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })
  const world = {
    stdin: process.stdin,
    stdout: nowhere(),
    stderr: nowhere(),
    promptOutput: nowhere(),
    env: { TT_HOME: home },
    cwd: () => home,
    now: () => new Date(),
    onInterrupt() {},
    untilStopped: () => new Promise(() => {}),
    interruption: () => new AbortController().signal,
  }
  for (const argv of lines) {
    const status = await main(argv, world)
    if (status === 1) throw new Error(`tt ${argv.join(' ')} fails, and nothing could be learnt from it.`)
  }
}
