// Replaces node:child_process in the bundle. commander requires it for subcommands that are separate programs, which tt
// does not have, and loading it takes 3 to 5 ms (docs/decisions/start-up-time.md).

/** @typedef {'spawn' | 'spawnSync' | 'exec' | 'execSync' | 'execFile' | 'execFileSync'} FunctionName */

/**
 * @param {FunctionName} name
 * @returns {Function}
 */
const native = (name) => process.getBuiltinModule('node:child_process')[name]

/** @param {FunctionName} name */
const lazy =
  (name) =>
  /** @param {unknown[]} args */
  (...args) =>
    native(name)(...args)

/**
 * `open` and its dependencies promisify these functions and expect an object with both streams.
 *
 * @param {FunctionName} name
 */
const lazyPromisable = (name) =>
  Object.assign(lazy(name), {
    /** @param {unknown[]} args */
    [Symbol.for('nodejs.util.promisify.custom')]: (...args) =>
      process.getBuiltinModule('node:util').promisify(native(name))(...args),
  })

exports.spawn = lazy('spawn')
exports.spawnSync = lazy('spawnSync')
exports.exec = lazyPromisable('exec')
exports.execSync = lazy('execSync')
exports.execFile = lazyPromisable('execFile')
exports.execFileSync = lazy('execFileSync')
