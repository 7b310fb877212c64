import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Environment } from '../../config/paths.js'
import { expandHome } from '../../config/paths.js'
import { TtError } from '../../lib/errors.js'
import { writePrivateFile } from '../../lib/private-file.js'
import { isUnedited, unitName } from './schedules.js'

export const timerUnit = `${unitName}.timer`

const timeLimitMs = 10_000

/** The state of the installed units. */
export interface UnitState {
  /** The files of the units that exist. */
  files: string[]
  /** Those of them that were edited since. */
  edited: string[]
  /** Whether the timer is active; null if the user manager of systemd cannot be reached. */
  active: boolean | null
  nextRun: Date | null
  /** Why `active` is unknown. */
  problem: string | null
}

/** Returns the directory of the units of the user (systemd.unit(5)). */
function unitDirectory(env: Environment): string {
  const { XDG_CONFIG_HOME: home } = env
  return join(home && isAbsolute(home) ? home : expandHome('~/.config', env), 'systemd', 'user')
}

/** Returns the paths of the units, written or not. */
function unitPaths(env: Environment): string[] {
  return [`${unitName}.service`, timerUnit].map((name) => join(unitDirectory(env), name))
}

/**
 * Writes the units and starts the timer. Returns their paths, and why the timer is not started; undefined if it is. Throws
 * TtError `failure` if a unit was edited, unless `force`, or if one cannot be written.
 */
export async function installUnits(
  env: Environment,
  units: Readonly<Record<string, string>>,
  force: boolean,
): Promise<{ files: string[]; problem: string | undefined }> {
  const edited = editedOf(unitPaths(env))
  if (edited.length > 0 && !force) {
    throw new TtError('failure', `${editedText(edited)}.`, {
      hint: 'Add --force to overwrite both units.',
    })
  }
  const directory = unitDirectory(env)
  const files = Object.entries(units).map(([name, text]) => {
    const path = join(directory, name)
    writePrivateFile(path, text)
    return path
  })
  const problem =
    (await systemctl(env, 'daemon-reload')).problem ??
    (await systemctl(env, 'enable', '--now', timerUnit)).problem
  return { files, problem }
}

/**
 * Stops the timer and deletes the units. If one was edited, changes nothing, unless `force`: the units work only together.
 * Returns the deleted files, those that were edited and remain, and why the timer may still be active.
 */
export async function removeUnits(
  env: Environment,
  force: boolean,
): Promise<{ removed: string[]; edited: string[]; problem: string | undefined }> {
  const files = unitPaths(env).filter((path) => existsSync(path))
  const edited = force ? [] : editedOf(files)
  if (files.length === 0 || edited.length > 0) return { removed: [], edited, problem: undefined }
  if (files.some((path) => path.endsWith('.timer'))) await systemctl(env, 'disable', '--now', timerUnit)
  // Without the user manager, its link of the enabled timer remains.
  const link = join(unitDirectory(env), 'timers.target.wants', timerUnit)
  for (const path of [...files, link]) rmSync(path, { force: true })
  const { problem } = await systemctl(env, 'daemon-reload')
  return { removed: files, edited, problem }
}

/** Returns the state of the units. */
export async function unitState(env: Environment): Promise<UnitState> {
  const files = unitPaths(env).filter((path) => existsSync(path))
  const edited = editedOf(files)
  const properties = ['ActiveState', 'NextElapseUSecRealtime'].map((name) => `--property=${name}`)
  const { output, problem } = await systemctl(env, 'show', timerUnit, ...properties, '--timestamp=unix')
  if (problem !== undefined) return { files, edited, active: null, nextRun: null, problem }
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(output)?.[1] ?? ''
  const seconds = /^@(\d+)$/.exec(value('NextElapseUSecRealtime'))?.[1]
  return {
    ...{ files, edited },
    active: value('ActiveState') === 'active',
    nextRun: seconds === undefined ? null : new Date(Number(seconds) * 1000),
    problem: null,
  }
}

/** Whether systemd is the init system of this machine (sd_booted(3)), or its program is installed. */
export function hasSystemd(env: Environment): boolean {
  return (env.PATH ?? '').split(':').some((directory) => existsSync(join(directory, 'systemctl')))
}

/** "… was edited", with the paths of the units. */
export function editedText(paths: readonly string[]): string {
  return `${paths.join(' and ')} ${paths.length === 1 ? 'was' : 'were'} edited`
}

function editedOf(paths: readonly string[]): string[] {
  return paths.filter((path) => existsSync(path) && !isUnedited(readFileSync(path, 'utf8')))
}

/** Runs `systemctl --user`. Returns its output, and the first line of its error. */
function systemctl(
  env: Environment,
  ...args: string[]
): Promise<{ output: string; problem: string | undefined }> {
  return new Promise((resolve) => {
    const options = {
      ...{ env: { ...env }, encoding: 'utf8' as const },
      ...{ timeout: timeLimitMs, killSignal: 'SIGKILL' as const },
    }
    execFile('systemctl', ['--user', '--no-pager', ...args], options, (error, output, stderr) => {
      const problem = error ? stderr.trim().split('\n')[0] || error.message : undefined
      resolve({ output, problem })
    })
  })
}
