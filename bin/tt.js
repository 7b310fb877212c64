#!/usr/bin/env node
// CommonJS (see package.json beside this file): Node starts that sooner than an ES module.
const { readFileSync } = require('node:fs')
const Module = require('node:module')
const { join } = require('node:path')
const { Script } = require('node:vm')

const argv = process.argv.slice(2)

if (argv.length === 1 && argv[0] === '--version') {
  // What scripts ask first, and often: known without loading anything.
  process.stdout.write(`${require('../package.json').version}\n`)
} else {
  const { main } = load(join(__dirname, '..', 'dist', 'tt.cjs'))
  main(argv).then((status) => process.exit(status))
}

/**
 * Loads the program with its functions compiled already: those that `precompile.mjs` kept at build time. V8 refuses
 * what another version of it has compiled; then Node keeps them from now on, where it can (22.1 and later).
 *
 * @param {string} file
 */
function load(file) {
  const cachedData = readIfThere(`${file}.compiled`)
  if (cachedData) {
    const script = new Script(Module.wrap(readFileSync(file, 'latin1')), { filename: file, cachedData })
    if (!script.cachedDataRejected) {
      const program = { exports: {} }
      script.runInThisContext()(program.exports, require, program, file, '')
      return program.exports
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
