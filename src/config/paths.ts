import { isAbsolute, join, posix, resolve, win32 } from 'node:path'
import { TtError } from '../lib/errors.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** The directories of `tt`. They may not exist: the code that writes creates them. */
export interface Paths {
  /** Configuration. */
  config: string
  /** Data to back up: the local workspace. */
  data: string
  /** State of this machine: the client state of each profile. */
  state: string
}

/**
 * Returns the directories of this user: `TT_HOME` for all of them, otherwise the XDG base directories, or their
 * equivalents on macOS and Windows. A relative `TT_HOME` is resolved against the working directory; relative `XDG_*`
 * values are ignored (XDG Base Directory Specification 0.8). Throws TtError `usage` for a relative `TT_HOME` in a
 * directory that has been removed.
 */
export function pathsFor(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
  home?: string,
): Paths {
  if (env.TT_HOME) {
    const directory = isAbsolute(env.TT_HOME) ? env.TT_HOME : resolveHome(env.TT_HOME)
    return { config: directory, data: directory, state: directory }
  }
  const fallback = platformDirectories(env, platform, home ?? homeDirectory(env))
  const { join, isAbsolute: isAbsolutePath } = platform === 'win32' ? win32 : posix
  const absolute = (value: string | undefined) => (value && isAbsolutePath(value) ? value : undefined)
  return {
    config: join(absolute(env.XDG_CONFIG_HOME) ?? fallback.config, 'tt'),
    data: join(absolute(env.XDG_DATA_HOME) ?? fallback.data, 'tt'),
    state: join(absolute(env.XDG_STATE_HOME) ?? fallback.state, 'tt'),
  }
}

function resolveHome(path: string): string {
  try {
    return resolve(path)
  } catch (cause) {
    throw new TtError('usage', `TT_HOME is a relative path, and the working directory does not exist.`, {
      hint: 'Set TT_HOME to an absolute path, or change to another directory.',
      cause,
    })
  }
}

/** Returns the names of the `XDG_*` variables that `pathsFor` and bin/tt.js ignore because their values are relative. */
export function ignoredVariables(env: Environment): string[] {
  const directories = env.TT_HOME ? [] : ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME']
  return [...directories, 'XDG_CACHE_HOME'].filter((name) => {
    const value = env[name]
    return value && !isAbsolute(value)
  })
}

/** Returns the home directory; loads `os` only if the environment does not name it. Throws TtError `usage` without one. */
function homeDirectory(env: Environment): string {
  if (process.platform !== 'win32' && env.HOME) return env.HOME
  try {
    return process.getBuiltinModule('node:os').homedir()
  } catch (cause) {
    throw new TtError('usage', 'This user has no home directory.', {
      hint: 'Set HOME, or TT_HOME to the directory where tt stores its data.',
      cause,
    })
  }
}

/** Replaces `~` at the start of a path by the home directory. */
export function expandHome(path: string, env: Environment): string {
  return path.startsWith('~') ? join(homeDirectory(env), path.slice(1)) : path
}

function platformDirectories(env: Environment, platform: NodeJS.Platform, home: string): Paths {
  if (platform === 'darwin') {
    const support = join(home, 'Library', 'Application Support')
    return { config: support, data: support, state: support }
  }
  if (platform === 'win32') {
    const local = env.LOCALAPPDATA || win32.join(home, 'AppData', 'Local')
    return { config: env.APPDATA || win32.join(home, 'AppData', 'Roaming'), data: local, state: local }
  }
  return {
    config: join(home, '.config'),
    data: join(home, '.local', 'share'),
    state: join(home, '.local', 'state'),
  }
}

/** Returns the directory of the hooks of the user. */
export function hooksDirectory(paths: Paths): string {
  return join(paths.config, 'hooks')
}

/** Returns the path of the database of the local workspace. */
export function workspacePath(paths: Paths): string {
  return join(paths.data, 'workspace.db')
}

/** Returns the path of the prompt file; undefined when the setting `prompt_file` is "none". */
export function promptFilePath(paths: Paths, env: Environment, setting: unknown): string | undefined {
  if (typeof setting !== 'string') return join(paths.state, 'timer')
  return setting === 'none' ? undefined : expandHome(setting, env)
}

/** Returns the path of the file with the hashes of the lines that `tt` has written to the prompt file. */
export function promptRecordPath(paths: Paths): string {
  return join(paths.state, 'timer.written')
}

/** Returns the path of the lock for the secrets of a profile: sign-in, refresh and sign-out take turns. */
export function credentialsLockPath(paths: Paths, profile: string): string {
  return join(paths.state, 'locks', `${profile}.lock`)
}

/**
 * Returns the path of the database of an account of a service; `key` is the `stateKey` of its profile. That of the local
 * workspace had one, too, before its tables moved into `workspace.db`. See `statePathOf` of profile.ts.
 */
export function clientStatePath(paths: Paths, key: string): string {
  return join(paths.state, 'profiles', key, 'state.db')
}

/** Returns the path of the file that exists since the local workspace has had entries or expenses. */
export function usedWorkspacePath(paths: Paths): string {
  return join(paths.state, 'profiles', 'local', 'used')
}

/** Returns the path of the lock of imports into a profile. */
export function importLockPath(paths: Paths, key: string): string {
  return join(paths.state, 'profiles', key, 'import.lock')
}

/** Returns the path of the lock for delivering the outbox of a profile. */
export function deliveryLockPath(paths: Paths, key: string): string {
  return join(paths.state, 'profiles', key, 'delivery.lock')
}

/** Returns the path of the lock of the process that delivers the outbox of a profile in the background. */
export function backgroundLockPath(paths: Paths, key: string): string {
  return join(paths.state, 'profiles', key, 'background.lock')
}

/** Returns the path of the lock of a process that lets the delivery in the background end, and waits for that. */
export function backgroundStopPath(paths: Paths, key: string): string {
  return join(paths.state, 'profiles', key, 'background.stop')
}

/** Returns the path of the file that exists after a failed sign-in, until another one or a change in the local workspace. */
export function failedLoginPath(paths: Paths): string {
  return join(paths.state, 'failed-login')
}

/** Returns the path of the lock of a backup or a restore: one at a time. */
export function backupLockPath(paths: Paths): string {
  return join(paths.state, 'backup.lock')
}

/** Returns the directory with the files of a backup while it is made. */
export function backupDirectory(paths: Paths): string {
  return join(paths.state, 'backup.work')
}

/** Returns the directory with the files of a restore. */
export function restoreDirectory(paths: Paths): string {
  return join(paths.state, 'restore.work')
}

/** Returns the file that exists from the moment at which a restore is decided until it is complete. */
export function restorePlanPath(paths: Paths): string {
  return join(restoreDirectory(paths), 'plan.json')
}

/** Returns the path of the lock for changes of the profiles. */
export function profilesLockPath(paths: Paths): string {
  return join(paths.state, 'profiles.lock')
}

/** Returns the path of the lock for changes of the settings. */
export function configLockPath(paths: Paths): string {
  return join(paths.state, 'config.lock')
}

/** Returns the path of the file with the invoice numbers that were taken in all profiles. */
export function invoiceNumbersPath(paths: Paths): string {
  return join(paths.config, 'invoice-numbers.json')
}

/** Returns the path of the lock for taking an invoice number. */
export function invoiceNumbersLockPath(paths: Paths): string {
  return join(paths.state, 'invoice-numbers.lock')
}
