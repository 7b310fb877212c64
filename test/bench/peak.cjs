// Preloaded into a process that is measured: when it ends, it writes its peak resident memory in kilobytes to a file.
const { readFileSync, writeFileSync } = require('node:fs')

process.on('exit', () => writeFileSync(String(process.env.BENCH_PEAK), String(peak())))

function peak() {
  try {
    // What getrusage tells counts the process that started this one as well.
    const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    if (kilobytes !== undefined) return Number(kilobytes)
  } catch {
    // There is no /proc but on Linux.
  }
  return process.resourceUsage().maxRSS
}
