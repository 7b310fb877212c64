// Stands in for @neon-rs/load and detect-libc in the bundle: both ask Node for a whole diagnostic report, to learn
// which C library this is, and that takes longer than loading the driver. The executable that runs tells it.
const { closeSync, openSync, readSync } = require('node:fs')
const { join } = require('node:path')

exports.GLIBC = 'glibc'
exports.MUSL = 'musl'

exports.familySync = () => {
  if (process.platform !== 'linux') return null
  return interpreter().includes('/ld-musl-') ? exports.MUSL : exports.GLIBC
}

/** The head of the running executable, which names the program interpreter that loaded it (ELF, PT_INTERP). */
function interpreter() {
  try {
    const file = openSync(process.execPath, 'r')
    const head = Buffer.alloc(4096)
    const length = readSync(file, head)
    closeSync(file)
    return head.latin1Slice(0, length)
  } catch {
    return '' // An executable that cannot be read is no small Linux.
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
 * The native part of the driver, from where an install puts it. Looking it up as `require` does takes as long as
 * loading it, and is done only where it lies elsewhere.
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
