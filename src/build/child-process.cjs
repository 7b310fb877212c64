// Stands in for node:child_process in the bundle: commander requires it for subcommands that are programs of their
// own, which tt has none of, and loading it takes longer than parsing the command line.
const real = () => process.getBuiltinModule('node:child_process')

for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync']) {
  exports[name] = (...given) => real()[name](...given)
}

// `open` and its parts promisify these, and expect both streams in the answer.
for (const name of ['exec', 'execFile']) {
  exports[name][Symbol.for('nodejs.util.promisify.custom')] = (...given) =>
    process.getBuiltinModule('node:util').promisify(real()[name])(...given)
}
