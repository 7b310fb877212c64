// V8 takes compiled functions only from its own version, so that another Node than the build's has to compile what it
// runs. What came of that is kept here for the next start: in the user's own cache, because whoever can write it
// decides what tt does.
const { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')

const monthMs = 30 * 24 * 3600 * 1000

/**
 * Where the compiled functions of one build of tt are kept for one V8; undefined where nobody else can be kept out.
 *
 * @param {string} build
 */
exports.directoryFor = (build) => {
  const directory = join(cacheHome(), 'tt', build)
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const { uid, mode } = statSync(directory)
    const isOurs = process.getuid === undefined || (uid === process.geteuid?.() && (mode & 0o022) === 0)
    return isOurs ? directory : undefined
  } catch {
    return undefined // Slower, and no less right.
  }
}

/**
 * Keeps what V8 has compiled for a command, the first time that it ran.
 *
 * @param {string} directory
 * @param {string | undefined} word the first of the command line
 * @param {Map<string, import('node:vm').Script>} scripts the packs that were opened, by name
 */
exports.keep = (directory, word, scripts) => {
  if (!word || !/^[a-z_-]{1,20}$/.test(word)) return
  const ran = join(directory, `${word}.ran`)
  try {
    if (statSync(ran, { throwIfNoEntry: false })) return
    for (const [pack, script] of scripts) {
      const file = join(directory, pack)
      // Another process may be reading it.
      writeFileSync(`${file}.${process.pid}`, script.createCachedData(), { mode: 0o600 })
      renameSync(`${file}.${process.pid}`, file)
    }
    writeFileSync(ran, '', { mode: 0o600 })
    removeOld(join(directory, '..'))
  } catch {
    // A full disk, say. The next start compiles again.
  }
}

/** What was kept for other builds, and was not added to for a month; nothing else. @param {string} directory */
function removeOld(directory) {
  for (const name of readdirSync(directory)) {
    if (!/^[0-9a-f]{16}-/.test(name)) continue
    const path = join(directory, name)
    if (Date.now() - statSync(path).mtimeMs > monthMs) rmSync(path, { recursive: true, force: true })
  }
}

function cacheHome() {
  const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = process.env
  if (XDG_CACHE_HOME) return XDG_CACHE_HOME
  const windows = process.platform === 'win32'
  if (windows && LOCALAPPDATA) return join(LOCALAPPDATA, 'Temp')
  const home = (!windows && HOME) || require('node:os').homedir()
  return process.platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache')
}
