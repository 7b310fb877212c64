import { spawnSync } from 'node:child_process'

const withoutPrivilege = ['setpriv', '--bounding-set=-dac_override,-dac_read_search']

/**
 * What `env` is given before a command that the permissions of files shall bind: root passes them by otherwise. Undefined
 * where root cannot give that up.
 */
export const unprivilegedArguments: readonly string[] | undefined =
  process.getuid?.() !== 0
    ? []
    : spawnSync('env', [...withoutPrivilege, 'true']).status === 0
      ? withoutPrivilege
      : undefined
