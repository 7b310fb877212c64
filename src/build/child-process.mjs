// Stands in for node:child_process in the bundle: commander requires it for subcommands that are programs of their
// own, which tt has none of, and loading it takes longer than parsing the command line. A module with names, because
// a lazy import of anything else gives its importer a default alone.
const real = () => process.getBuiltinModule('node:child_process')

const standIn =
  (name) =>
  (...given) =>
    real()[name](...given)

// `open` and its parts promisify these, and expect both streams in the answer.
const promisable = (name) =>
  Object.assign(standIn(name), {
    [Symbol.for('nodejs.util.promisify.custom')]: (...given) =>
      process.getBuiltinModule('node:util').promisify(real()[name])(...given),
  })

export const spawn = standIn('spawn')
export const spawnSync = standIn('spawnSync')
export const exec = promisable('exec')
export const execSync = standIn('execSync')
export const execFile = promisable('execFile')
export const execFileSync = standIn('execFileSync')
export default { spawn, spawnSync, exec, execSync, execFile, execFileSync }
