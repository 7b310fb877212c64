import { spawnSync } from 'node:child_process'

const droppedCapabilities = ['setpriv', '--bounding-set=-dac_override,-dac_read_search']

/**
 * Arguments for `env` that make a command obey file permissions, which root otherwise bypasses. Undefined where root
 * cannot drop that capability.
 */
export const unprivilegedArguments: readonly string[] | undefined =
  process.getuid?.() !== 0
    ? []
    : spawnSync('env', [...droppedCapabilities, 'true']).status === 0
      ? droppedCapabilities
      : undefined
