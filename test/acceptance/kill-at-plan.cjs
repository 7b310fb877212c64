// Ends the process as with kill -9 at a step of a restore: TT_KILL_AT is "before" or "after" the plan is written, or
// "removal" of the plan.
const fs = require('node:fs')
const { renameSync, rmSync } = fs
/** @param {unknown} path */
const isPlan = (path) => String(path).endsWith('plan.json')
/** @param {string} step */
const kill = (step) => {
  if (process.env.TT_KILL_AT === step) process.kill(process.pid, 'SIGKILL')
}
fs.renameSync = (from, to) => {
  if (isPlan(to)) kill('before')
  renameSync(from, to)
  if (isPlan(to)) kill('after')
}
fs.rmSync = (path, options) => {
  if (isPlan(path)) kill('removal')
  rmSync(path, options)
}
require('node:module').syncBuiltinESMExports()
