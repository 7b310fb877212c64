// Ends the process as with kill -9 at a step of a migration: TT_KILL_AT is "copy" while SQLite writes the copy of the state,
// "rename" before the copy gets its name, or "commit" before the migration is committed.
const fs = require('node:fs')
const { Worker } = require('node:worker_threads')
const { openSync, renameSync, writeFileSync } = fs
const step = process.env.TT_KILL_AT
const kill = () => process.kill(process.pid, 'SIGKILL')
const waitForever = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
/** @param {unknown} path */
const isUnfinishedCopy = (path) => /\.version-\d+\.\d+$/.test(String(path))

/**
 * Starts a thread that ends the process as soon as the file has contents, and waits until it watches the file: SQLite blocks
 * this thread.
 *
 * @param {string} path
 */
function killOnceWritten(path) {
  const isWatching = new Int32Array(new SharedArrayBuffer(4))
  const watch = `
    const { workerData: { path, isWatching } } = require('node:worker_threads')
    const { statSync } = require('node:fs')
    Atomics.store(isWatching, 0, 1)
    Atomics.notify(isWatching, 0)
    while (statSync(path).size === 0);
    process.kill(process.pid, 'SIGKILL')`
  new Worker(watch, { eval: true, workerData: { path, isWatching } })
  Atomics.wait(isWatching, 0, 0)
}

fs.writeFileSync = (path, ...rest) => {
  writeFileSync(path, ...rest)
  if (step === 'copy' && isUnfinishedCopy(path)) killOnceWritten(String(path))
}
fs.openSync = (path, flags, ...rest) => {
  // The copy is complete and will be synced: the other thread has not noticed yet that it was begun.
  if (step === 'copy' && flags === 'r+' && isUnfinishedCopy(path)) waitForever()
  return openSync(path, flags, ...rest)
}
fs.renameSync = (from, to) => {
  if (step === 'rename' && isUnfinishedCopy(from)) kill()
  renameSync(from, to)
}

let isMigrated = false
/** @param {string} sql */
function beforeExec(sql) {
  if (sql.startsWith('PRAGMA user_version =')) isMigrated = true
  if (step === 'commit' && isMigrated && sql === 'COMMIT') kill()
}

const builtin =
  /** @type {{ DatabaseSync: { prototype: { exec(sql: string): void } } } | undefined} */
  (process.getBuiltinModule('node:sqlite'))
if (builtin) {
  const { exec } = builtin.DatabaseSync.prototype
  builtin.DatabaseSync.prototype.exec = function (/** @type {string} */ sql) {
    beforeExec(sql)
    return exec.call(this, sql)
  }
}
const { dlopen } = process
process.dlopen = (module, ...rest) => {
  dlopen.call(process, module, ...rest)
  const native = /** @type {{ exports: Record<string, Function> }} */ (module).exports
  const { databaseExecSync } = native
  if (!databaseExecSync) return
  native.databaseExecSync = function (/** @type {string} */ sql) {
    beforeExec(sql)
    return databaseExecSync.call(this, sql)
  }
}
require('node:module').syncBuiltinESMExports()
