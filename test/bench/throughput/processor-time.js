// Reads the processor time of processes (proc(5)).
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Length of a clock tick of Linux in milliseconds. */
const tickMs = 10

/** Returns the fields after the name of a process: state, parent and so on; none if it has ended. @param {string} pid */
export function statOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  } catch {
    return []
  }
}

/**
 * Returns the processor time of a process in milliseconds; NaN where the system does not show it.
 * @param {number} pid
 */
export function cpuMsOf(pid) {
  const fields = statOf(String(pid))
  return fields.length === 0 ? Number.NaN : sumOf(fields.slice(11, 13))
}

/**
 * Returns the processor time of a server and its processes in milliseconds; NaN where the system does not show it.
 * @param {number} parent its processor time includes that of the processes that have ended
 */
export function cpuMsWithChildren(parent) {
  const processes = existsSync('/proc/self/stat')
    ? readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    : []
  return processes.reduce(
    (sum, name) => {
      const fields = statOf(name)
      if (Number(name) === parent) return sum + sumOf(fields.slice(11, 15))
      return Number(fields[1]) === parent ? sum + sumOf(fields.slice(11, 13)) : sum
    },
    processes.length === 0 ? Number.NaN : 0,
  )
}

/** @param {string[]} ticks */
const sumOf = (ticks) => ticks.reduce((sum, count) => sum + Number(count), 0) * tickMs
