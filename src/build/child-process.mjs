// Replaces node:child_process in the bundle. commander requires it for subcommands that are separate programs, which tt
// does not have, and loading it takes longer than parsing the command line. The exports are named, because a lazy import of
// a CommonJS module would have a default export only.
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

export const spawn = lazy('spawn')
export const spawnSync = lazy('spawnSync')
export const exec = lazyPromisable('exec')
export const execSync = lazy('execSync')
export const execFile = lazyPromisable('execFile')
export const execFileSync = lazy('execFileSync')
export default { spawn, spawnSync, exec, execSync, execFile, execFileSync }
