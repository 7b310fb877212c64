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
 * The defaults of the V8 flag that a request sets (src/api/http/transport.ts), and of those that it implies: V8 rejects code
 * that was compiled with other flags.
 */
const defaultFlags = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering']

const monthMs = 30 * 24 * 3600 * 1000

/** @param {string | Buffer} content */
function sha256(content) {
  return createHash('sha256').update(content).digest('hex')
}
exports.sha256 = sha256

/**
 * Stores the functions that were compiled: after the first run of a command, and whenever the stored code of a pack was
 * not valid. Otherwise renews the record of the packs whose hashes were computed.
 *
 * @param {CodeCache} cache
 * @param {string | undefined} command the first argument of the command line
 */
exports.save = (cache, command) => {
  if (!command || !/^[a-z_-]{1,20}$/.test(command)) return
  try {
    for (const flag of defaultFlags) setFlagsFromString(flag)
    makePrivate(cache.directory)
    const loaded = [...cache.loaded]
    const isComplete = loaded.every(([, { code }]) => code)
    const hasNewCode = !isComplete || !cache.commands.includes(command)
    const records = loaded.map(([pack, { source, metadata, script }]) => {
      const old = cache.records[pack]?.code
      const code = old && !hasNewCode ? old : writeCode(join(cache.directory, pack), script)
      return [pack, { source: { sha256: sha256(source), metadata }, code, verified: Date.now() }]
    })
    // Invalid code may have held functions of other commands, which add them again.
    const commands = isComplete ? cache.commands : []
    const record = {
      commands: [...new Set([...commands, command])],
      records: { ...cache.records, ...Object.fromEntries(records) },
    }
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

/** Removes the compiled code of other builds that has not changed for a month. @param {string} directory */
function removeOld(directory) {
  for (const name of fs.readdirSync(directory)) {
    if (!/^[0-9a-f]{16}-/.test(name)) continue
    const path = join(directory, name)
    if (Date.now() - fs.statSync(path).mtimeMs > monthMs) fs.rmSync(path, { recursive: true, force: true })
  }
}
