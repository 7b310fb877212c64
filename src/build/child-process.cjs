// Replaces node:child_process in the bundle. commander requires it for subcommands that are separate programs, which tt
// does not have, and loading it takes longer than parsing the command line.
const childProcess = () => process.getBuiltinModule('node:child_process')

const lazy =
  (name) =>
  (...args) =>
    childProcess()[name](...args)

// `open` and its dependencies promisify these functions and expect an object with both streams.
const lazyPromisable = (name) =>
  Object.assign(lazy(name), {
    [Symbol.for('nodejs.util.promisify.custom')]: (...args) =>
      process.getBuiltinModule('node:util').promisify(childProcess()[name])(...args),
  })

exports.spawn = lazy('spawn')
exports.spawnSync = lazy('spawnSync')
exports.exec = lazyPromisable('exec')
exports.execSync = lazy('execSync')
exports.execFile = lazyPromisable('execFile')
exports.execFileSync = lazy('execFileSync')
