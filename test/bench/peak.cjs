// Preloaded into a measured process: writes its peak resident memory in kilobytes to a file when it exits.
const { readFileSync, writeFileSync } = require('node:fs')

process.on('exit', () => writeFileSync(String(process.env.BENCH_PEAK), String(peak())))

function peak() {
  try {
    // getrusage includes the parent process.
    const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    if (kilobytes !== undefined) return Number(kilobytes)
  } catch {
    // /proc exists only on Linux.
  }
  return process.resourceUsage().maxRSS
}
