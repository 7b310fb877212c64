// Replaces @neon-rs/load and detect-libc in the bundle. Both create a diagnostic report of Node to find the C library, which
// takes 11 ms (docs/decisions/start-up-time.md). Here the running executable is examined instead.
const { closeSync, openSync, readSync } = require('node:fs')
const { join } = require('node:path')

exports.GLIBC = 'glibc'
exports.MUSL = 'musl'

exports.familySync = () => {
  if (process.platform !== 'linux') return null
  return interpreter().includes('/ld-musl-') ? exports.MUSL : exports.GLIBC
}

/** Returns the head of the running executable, which names its program interpreter (ELF, PT_INTERP). */
function interpreter() {
  try {
    const file = openSync(process.execPath, 'r')
    const head = Buffer.alloc(4096)
    const length = readSync(file, head)
    closeSync(file)
    return head.toString('latin1', 0, length)
  } catch {
    return '' // Counts as glibc, which is more common.
  }
}

exports.currentTarget = () => {
  const { platform, arch } = process
  if (platform === 'win32') return `win32-${arch}-msvc`
  if (platform !== 'linux') return `${platform}-${arch}`
  if (arch === 'arm')
    return exports.familySync() === exports.MUSL ? 'linux-arm-musleabihf' : 'linux-arm-gnueabihf'
  return `linux-${arch}-${exports.familySync() === exports.MUSL ? 'musl' : 'gnu'}`
}

/**
 * Loads the native part of the driver from its usual place. Resolving it with `require` takes 1.9 ms more, and is
 * done only if it is not there.
 */
exports.load = () => {
  const name = `@libsql/${exports.currentTarget()}`
  const native = { exports: {} }
  try {
    process.dlopen(native, join(__filename, '../../node_modules', name, 'index.node'))
    return native.exports
  } catch {
    return require(name)
  }
}
