#!/usr/bin/env node
// CommonJS (see package.json beside this file): Node starts that sooner than an ES module.
const { lstatSync, readFileSync, statSync, writeSync } = require('node:fs')

/**
 * A file as it was when its SHA-256 was computed.
 *
 * @typedef {{ sha256: string, metadata: string }} Fingerprint
 *
 * @typedef {object} PackRecord
 * @property {Fingerprint} source the readable program
 * @property {Fingerprint} code its compiled functions
 * @property {number} verified when both hashes were last computed, in milliseconds since 1970
 *
 * @typedef {object} LoadedPack
 * @property {string} source
 * @property {string} metadata of the source file
 * @property {import('node:vm').Script} script
 * @property {Buffer} [code] the valid compiled code that was found
 * @property {boolean} [isVerified] whether this process has computed the hashes
 *
 * The compiled code of one command, of one build of tt for one version of V8, in the user's cache.
 *
 * @typedef {object} CodeCache
 * @property {string} directory
 * @property {boolean} isNew whether this is the first run of the command
 * @property {Record<string, PackRecord>} records by pack
 * @property {Map<string, LoadedPack>} loaded the packs of this process
 */

const argv = process.argv.slice(2)
const dist = `${__dirname}/../dist`
const dayMs = 24 * 3600 * 1000

/** @type {Map<string, Record<string, Function>>} the functions of the packs that were opened */
const packs = new Map()
/** @type {Map<string, any>} the exports of the modules that were loaded */
const modules = new Map()
/** @type {CodeCache | undefined} */
let cache

if (argv.length === 1 && argv[0] === '--version') {
  // What scripts ask first, and often: known without loading anything.
  print(require('../package.json').version)
} else if (argv.length === 2 && argv.includes('--version') && argv.includes('--json')) {
  // For audits: no lock file of a user names the bundled packages.
  const [{ version }, packages] = [require('../package.json'), require(`${dist}/packages.json`)]
  print(JSON.stringify({ version, packages }, null, 2))
} else {
  start()
}

/** @param {string} text */
function print(text) {
  try {
    writeSync(1, `${text}\n`)
  } catch {
    process.stdout.write(`${text}\n`) // It knows what to do with a slow reader, or none.
  }
}

function start() {
  /** @type {{ main(argv: string[]): Promise<number> }} */
  let program
  try {
    program = load('tt:status/main.js')
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
    return
  }
  program.main(argv).then((status) => {
    if (status === 0 && cache && isIncomplete(cache)) require('./code-cache.js').save(cache)
    process.exit(status)
  })
}

/**
 * What a module of the program exports; stands for `require` within it. Its name says in which pack it is, such as
 * `tt:status/main.js`. See src/build/build.mjs.
 *
 * @param {string} name
 */
function load(name) {
  if (!name.startsWith('tt:')) return require(name)
  let exports = modules.get(name)
  if (!exports) {
    const pack = name.slice(3, name.indexOf('/'))
    const define = functionsOf(pack)[name]
    if (!define) throw damaged(pack, `${name} is missing`)
    exports = define(load)
    modules.set(name, exports)
  }
  return exports
}

/**
 * The functions of a pack.
 *
 * @param {string} pack
 */
function functionsOf(pack) {
  let functions = packs.get(pack)
  if (!functions) {
    // A dictionary: adding a hundred properties to `{}` makes as many hidden classes.
    functions = /** @type {Record<string, Function>} */ (Object.create(null))
    try {
      scriptOf(pack).runInThisContext()(functions, fileOf(pack), dist)
    } catch (error) {
      throw damaged(pack, error instanceof Error ? error.message : String(error))
    }
    packs.set(pack, functions)
  }
  return functions
}

/**
 * The script of a pack, with the functions that earlier starts have compiled: see docs/decisions/code-cache.md.
 *
 * @param {string} pack
 */
function scriptOf(pack) {
  const { Script } = require('node:vm')
  const file = fileOf(pack)
  const source = readFileSync(file, 'latin1') // The build writes ASCII.
  const metadata = metadataOf(file)
  cache ??= openCache(source)
  const found = cache && findCode(cache, pack, source, metadata)
  const script = new Script(source, { filename: file, ...(found && { cachedData: found.code }) })
  // V8 rejects the code of a start with other flags.
  cache?.loaded.set(pack, { source, metadata, script, ...(script.cachedDataRejected ? {} : found) })
  return script
}

/**
 * Opens the cache of this command and of the build that a source names in its first line.
 *
 * @param {string} source
 * @returns {CodeCache | undefined}
 */
function openCache(source) {
  const build = /^\/\/([0-9a-f]{16})\n/.exec(source)?.[1]
  if (!build) return undefined
  const { platform, arch, versions } = process
  const command = argv[0] && /^[a-z_][a-z_-]{0,19}$/.test(argv[0]) ? argv[0] : 'other'
  const home = cacheHome()
  if (home === undefined) return undefined
  const directory = `${home}/tt/${build}-${platform}-${arch}-${versions.v8}/${command}`
  const cache = { directory, isNew: true, records: {}, loaded: new Map() }
  try {
    const { uid, mode } = lstatSync(directory)
    // Code that other users can write must not run.
    if (process.geteuid && (uid !== process.geteuid() || mode & 0o022)) return undefined
    cache.isNew = false
    const { records } = JSON.parse(readFileSync(`${directory}/record.json`, 'utf8'))
    if (records) cache.records = records
  } catch {
    // The first or second run, or a damaged record.
  }
  return cache
}

/**
 * Returns the compiled code of a pack, where it belongs to this source and has not changed since it was written.
 *
 * @param {CodeCache} cache
 * @param {string} pack
 * @param {string} source
 * @param {string} metadata
 */
function findCode({ directory, records }, pack, source, metadata) {
  try {
    const record = records[pack]
    const file = `${directory}/${pack}`
    const code = record && readFileSync(file)
    // No program can choose the change time (ctime): a file that was replaced, edited or restored has a new one.
    if (!code || metadataOf(file) !== record.code.metadata) return undefined
    const age = Date.now() - record.verified
    if (metadata === record.source.metadata && age >= 0 && age < dayMs) return { code }
    const { sha256 } = require('./code-cache.js') // Loaded only when needed: loading it takes time.
    const isValid = sha256(source) === record.source.sha256 && sha256(code) === record.code.sha256
    return isValid ? { code, isVerified: true } : undefined
  } catch {
    return undefined // The file is missing, or the record has another form.
  }
}

/**
 * Whether the cache lacks the code of a pack, or has an older record than this process.
 *
 * @param {CodeCache} cache
 */
function isIncomplete({ loaded }) {
  return [...loaded.values()].some(({ code, isVerified }) => !code || isVerified)
}

/**
 * What changes of a file whenever its content does. Read after the content, so that it is not older.
 *
 * @param {string} file
 */
function metadataOf(file) {
  const { size, mtimeMs, ctimeMs } = statSync(file)
  return `${size} ${mtimeMs} ${ctimeMs}`
}

/** Returns the directory of caches; undefined for a user without a home directory. */
function cacheHome() {
  const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = process.env
  if (XDG_CACHE_HOME && require('node:path').isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME
  const windows = process.platform === 'win32'
  if (windows && LOCALAPPDATA) return `${LOCALAPPDATA}/Temp`
  const home = (!windows && HOME) || homeDirectory()
  if (home === undefined) return undefined
  return process.platform === 'darwin' ? `${home}/Library/Caches` : `${home}/.cache`
}

function homeDirectory() {
  try {
    return require('node:os').homedir()
  } catch {
    return undefined // The program reports it.
  }
}

/** @param {string} pack */
function fileOf(pack) {
  return `${dist}/${pack}.cjs`
}

/**
 * @param {string} pack
 * @param {string} reason
 */
function damaged(pack, reason) {
  return new Error(`The program file ${fileOf(pack)} is damaged (${reason}). Install tt again.`)
}
