#!/usr/bin/env node
// CommonJS (see package.json beside this file): Node starts that sooner than an ES module.
const { readFileSync, writeSync } = require('node:fs')
const { Script } = require('node:vm')

const argv = process.argv.slice(2)
const dist = `${__dirname}/../dist`

/** @type {Map<string, Record<string, Function>>} the functions of the packs that were opened */
const packs = new Map()
/** @type {Map<string, { exports: any }>} */
const modules = new Map()
/** Compiled functions are of one V8 on one kind of machine. */
const v8 = `${process.platform}-${process.arch}-${process.versions.v8}`
/** Where they are kept that the build has not compiled, and the packs that hold them. */
const kept = { directory: /** @type {string | undefined} */ (undefined), scripts: new Map() }

if (argv.length === 1 && argv[0] === '--version') {
  // What scripts ask first, and often: known without loading anything.
  const version = `${require('../package.json').version}\n`
  try {
    writeSync(1, version)
  } catch {
    process.stdout.write(version) // It knows what to do with a slow reader, or none.
  }
} else {
  load('tt:status/main.js')
    .main(argv)
    .then((/** @type {number} */ status) => {
      if (kept.directory && status === 0) require('./kept.js').keep(kept.directory, argv[0], kept.scripts)
      process.exit(status)
    })
}

/**
 * What a module of the program exports; stands for `require` within it. Its name says in which pack it is, such as
 * `tt:status/main.js`. See src/build/build.mjs.
 *
 * @param {string} name
 */
function load(name) {
  if (!name.startsWith('tt:')) return require(name)
  let module = modules.get(name)
  if (!module) {
    module = { exports: {} }
    modules.set(name, module)
    functionsOf(name.slice(3, name.indexOf('/')))[name]?.(module.exports, load, module)
  }
  return module.exports
}

/**
 * The functions of a pack.
 *
 * @param {string} pack
 */
function functionsOf(pack) {
  let functions = packs.get(pack)
  if (!functions) {
    functions = {}
    const file = `${dist}/${pack}.cjs`
    scriptOf(pack, file).runInThisContext()(functions, undefined, undefined, file)
    packs.set(pack, functions)
  }
  return functions
}

/**
 * The code of a pack, compiled already: by the build, or by an earlier start where this is another V8 than the build's.
 *
 * @param {string} pack
 * @param {string} file
 */
function scriptOf(pack, file) {
  const text = readFileSync(file, 'utf8')
  const built = readIfThere(`${file}.${v8}`)
  if (built) {
    const script = compiled(text, file, built)
    if (!script.cachedDataRejected) return script
  }
  // The comment that a pack begins with tells one build from another.
  kept.directory ??= require('./kept.js').directoryFor(`${text.slice(2, 18)}-${v8}`)
  const script = compiled(text, file, kept.directory && readIfThere(`${kept.directory}/${pack}`))
  kept.scripts.set(pack, script)
  return script
}

/**
 * @param {string} text
 * @param {string} filename
 * @param {Buffer | undefined} cachedData
 */
function compiled(text, filename, cachedData) {
  return new Script(text, { filename, ...(cachedData && { cachedData }) })
}

/** @param {string} file */
function readIfThere(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined // Slower, and no less right.
  }
}
