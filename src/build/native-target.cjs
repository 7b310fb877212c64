// Stands in for @neon-rs/load and detect-libc in the bundle: both ask Node for a whole diagnostic report, to learn
// which C library this is, and that takes longer than loading the driver. What is mapped into this process tells it.
const { readFileSync } = require('node:fs')

exports.GLIBC = 'glibc'
exports.MUSL = 'musl'

exports.familySync = () => {
  if (process.platform !== 'linux') return null
  try {
    return readFileSync('/proc/self/maps', 'latin1').includes('/ld-musl-') ? exports.MUSL : exports.GLIBC
  } catch {
    return exports.GLIBC // Without such a file system it is no small Linux.
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

/** Only for developing the driver itself. */
exports.load = () => null
