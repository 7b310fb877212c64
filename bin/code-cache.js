// V8 compiles a function when it is first called. The result is stored in the user's cache for the next start, and used
// while it belongs to the readable program in dist/: docs/decisions/code-cache.md. bin/tt.js reads what is written here.
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const { join } = require('node:path')
const { setFlagsFromString } = require('node:v8')

/**
 * @typedef {import('./tt.js').CodeCache} CodeCache
 * @typedef {import('./tt.js').LoadedPack} LoadedPack
 * @typedef {import('./tt.js').Fingerprint} Fingerprint
 */

/**
 * The defaults of the V8 flag that a request sets (src/api-client/http/transport.ts), and of those that it implies: V8
 * rejects code that was compiled with other flags.
 */
const defaultFlags = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering']

const monthMs = 30 * 24 * 3600 * 1000

/** @param {string | Buffer} content */
function sha256(content) {
  return createHash('sha256').update(content).digest('hex')
}
exports.sha256 = sha256

/**
 * Stores the functions that the second run of a command has compiled, and those of a later run where the stored code of
 * a pack was missing or not valid. The first run only makes the directory: it also runs what is needed once, such as
 * creating the workspace, which would have to be read at each start. Otherwise renews the record of the packs whose
 * hashes were computed.
 *
 * @param {CodeCache} cache
 */
exports.save = (cache) => {
  try {
    makePrivate(cache.directory)
    if (cache.isNew) return
    for (const flag of defaultFlags) setFlagsFromString(flag)
    const hasNewCode = [...cache.loaded.values()].some(({ code }) => !code)
    const records = [...cache.loaded].map(([pack, { source, metadata, script, code }]) => {
      const old = cache.records[pack]?.code
      const stored = old && code ? old : writeCode(join(cache.directory, pack), script)
      return [pack, { source: { sha256: sha256(source), metadata }, code: stored, verified: Date.now() }]
    })
    const record = { records: { ...cache.records, ...Object.fromEntries(records) } }
    replaceFile(join(cache.directory, 'record.json'), JSON.stringify(record))
    if (hasNewCode) removeOld(join(cache.directory, '..'))
  } catch {
    // A full disk, for example. The next start compiles again.
  }
}

/**
 * Makes a directory that its owner alone can write. Throws where there is another.
 *
 * @param {string} directory
 */
function makePrivate(directory) {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  const stats = fs.lstatSync(directory)
  const isOwn =
    process.geteuid === undefined || (stats.uid === process.geteuid() && (stats.mode & 0o022) === 0)
  if (!stats.isDirectory() || !isOwn) throw new Error(`Others can write ${directory}.`)
}

/**
 * @param {string} file
 * @param {import('node:vm').Script} script
 * @returns {Fingerprint}
 */
function writeCode(file, script) {
  const code = script.createCachedData()
  return { sha256: sha256(code), metadata: replaceFile(file, code) }
}

/**
 * Replaces a file at once, because another process may be reading it. Returns the metadata of the new file, in the form
 * that bin/tt.js compares.
 *
 * @param {string} file
 * @param {string | Buffer} content
 */
function replaceFile(file, content) {
  const temporary = `${file}.${process.pid}`
  const descriptor = fs.openSync(temporary, 'w', 0o600)
  try {
    fs.writeFileSync(descriptor, content)
    fs.fsyncSync(descriptor) // V8 does not notice damage: after a power failure all of it is there, or the old file.
    fs.renameSync(temporary, file)
    const { size, mtimeMs, ctimeMs } = fs.fstatSync(descriptor)
    return `${size} ${mtimeMs} ${ctimeMs}`
  } finally {
    fs.closeSync(descriptor)
  }
}

/**
 * Removes the compiled code of other builds to which nothing was added for a month.
 *
 * @param {string} build the directory of this build
 */
function removeOld(build) {
  const now = new Date()
  fs.utimesSync(build, now, now)
  const parent = join(build, '..')
  for (const name of fs.readdirSync(parent)) {
    if (!/^[0-9a-f]{16}-/.test(name)) continue
    const path = join(parent, name)
    if (now.getTime() - fs.statSync(path).mtimeMs > monthMs) fs.rmSync(path, { recursive: true, force: true })
  }
}
