// Stands in for node:child_process in the bundle: commander requires it for subcommands that are programs of their
// own, which tt has none of, and loading it takes longer than parsing the command line.
exports.spawn = (...given) => process.getBuiltinModule('node:child_process').spawn(...given)
exports.spawnSync = (...given) => process.getBuiltinModule('node:child_process').spawnSync(...given)
exports.exec = (...given) => process.getBuiltinModule('node:child_process').exec(...given)
exports.execFile = (...given) => process.getBuiltinModule('node:child_process').execFile(...given)
