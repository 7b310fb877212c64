#!/usr/bin/env node
// CommonJS (see package.json beside this file): Node starts that sooner than an ES module.
const { readFileSync, writeSync } = require('node:fs')
const Module = require('node:module')
const { Script } = require('node:vm')

const argv = process.argv.slice(2)
const dist = `${__dirname}/../dist`

/** @type {Map<string, Record<string, Function>>} the functions of the packs that were opened */
const packs = new Map()
/** @type {Map<string, { exports: any }>} */
const modules = new Map()

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
    .then((/** @type {number} */ status) => process.exit(status))
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
 * The functions of a pack, compiled already by the build. V8 refuses what another version of it has compiled; then
 * Node keeps them from now on, where it can (22.1 and later).
 *
 * @param {string} pack
 */
function functionsOf(pack) {
  const known = packs.get(pack)
  if (known) return known
  const functions = opened(`${dist}/${pack}.cjs`)
  packs.set(pack, functions)
  return functions
}

/** @param {string} file */
function opened(file) {
  const cachedData = readIfThere(`${file}.compiled`)
  if (cachedData) {
    const script = new Script(Module.wrap(readFileSync(file, 'latin1')), { filename: file, cachedData })
    if (!script.cachedDataRejected) {
      const functions = {}
      script.runInThisContext()(functions, undefined, undefined, file)
      return functions
    }
  }
  Module.enableCompileCache?.()
  return require(file)
}

/** @param {string} file */
function readIfThere(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined // Slower, and no less right.
  }
}
