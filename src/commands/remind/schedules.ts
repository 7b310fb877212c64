import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import type { Context } from '../../cli/context.js'
import { type Environment, expandHome } from '../../config/paths.js'
import { TtError } from '../../lib/errors.js'
import { writePrivateFile } from '../../lib/private-file.js'

/** What a schedule runs. */
export interface ScheduledCommand {
  /** The program and its arguments. */
  argv: readonly string[]
  /** The variables that it needs to find the same files. */
  env: Readonly<Record<string, string>>
}

export type ScheduleFormat = 'systemd' | 'launchd' | 'task-scheduler'

export const unitName = 'tt-remind'

const intervalMinutes = 15
/** How long one check may take. */
const limitMinutes = 5

/** Returns the service and the timer of systemd, by their file names (systemd.service(5), systemd.timer(5)). */
export function systemdUnits({ argv, env }: ScheduledCommand): Record<string, string> {
  const [program = '', ...args] = argv
  // The program is no place for variables; in its arguments "$$" is a dollar sign.
  const command = [quoteForUnit(program), ...args.map((word) => quoteForUnit(word).replaceAll('$', '$$$$'))]
  const service = [
    '[Unit]',
    'Description=Reminders of tt',
    '',
    '[Service]',
    'Type=oneshot',
    // Without a limit, a check that hangs would be the last one.
    `TimeoutStartSec=${limitMinutes}min`,
    ...Object.entries(env).map(([name, value]) => `Environment=${quoteForUnit(`${name}=${value}`)}`),
    `ExecStart=${command.join(' ')}`,
  ]
  const timer = [
    '[Unit]',
    'Description=Reminders of tt',
    '',
    '[Timer]',
    `OnCalendar=*:0/${intervalMinutes}`,
    '',
    '[Install]',
    'WantedBy=timers.target',
  ]
  return {
    [`${unitName}.service`]: withChecksum(`${service.join('\n')}\n`),
    [`${unitName}.timer`]: withChecksum(`${timer.join('\n')}\n`),
  }
}

/** Quotes a word of a unit: escapes of C, and "%%" for a percent sign (systemd.syntax(7), systemd.unit(5)). */
function quoteForUnit(word: string): string {
  const escaped = word
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('%', '%%')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
  return `"${escaped}"`
}

function withChecksum(text: string): string {
  return `# Written by \`tt remind install\`; \`tt remind remove\` deletes it unless it was edited. sha256:${hashOf(text)}\n${text}`
}

/** Whether this text is a unit of `systemdUnits`, without any change. */
function isUnedited(text: string): boolean {
  const [, hash, rest = ''] = /^# .* sha256:([0-9a-f]{64})\n(.*)$/s.exec(text) ?? []
  return hash === hashOf(rest)
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Returns the property list of an agent of launchd (launchd.plist(5)). */
export function launchdAgent({ argv, env }: ScheduledCommand): string {
  const strings = argv.map((word) => `    <string>${escapeXml(word)}</string>`)
  const variables = Object.entries(env).flatMap(([name, value]) => [
    `    <key>${escapeXml(name)}</key>`,
    `    <string>${escapeXml(value)}</string>`,
  ])
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    '  <key>Label</key>',
    `  <string>${unitName}</string>`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...strings,
    '  </array>',
    ...(variables.length > 0
      ? ['  <key>EnvironmentVariables</key>', '  <dict>', ...variables, '  </dict>']
      : []),
    '  <key>StartInterval</key>',
    `  <integer>${intervalMinutes * 60}</integer>`,
    '</dict>',
    '</plist>',
    '',
  ].join('\n')
}

/** Returns a task of the Task Scheduler of Windows (Task Scheduler Schema 1.2). `start` is its first run, in local time. */
export function schedulerTask({ argv, env }: ScheduledCommand, start: Date): string {
  const [program = '', ...args] = argv
  // A task has no variables of its own: cmd.exe sets them.
  const set = Object.entries(env).map(([name, value]) => `set "${name}=${value}" &&`)
  const [command, words] =
    set.length === 0
      ? [program, args.map(quoteForWindows).join(' ')]
      : ['cmd.exe', `/d /s /c "${[...set, ...argv.map(quoteForWindows)].join(' ')}"`]
  const local = new Date(start.getTime() - start.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  return [
    '<?xml version="1.0"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    '  <RegistrationInfo>',
    '    <Description>Reminders of tt</Description>',
    '  </RegistrationInfo>',
    '  <Triggers>',
    '    <TimeTrigger>',
    '      <Repetition>',
    `        <Interval>PT${intervalMinutes}M</Interval>`,
    '      </Repetition>',
    `      <StartBoundary>${local}:00</StartBoundary>`,
    '    </TimeTrigger>',
    '  </Triggers>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    `    <ExecutionTimeLimit>PT${limitMinutes}M</ExecutionTimeLimit>`,
    '  </Settings>',
    '  <Actions>',
    '    <Exec>',
    `      <Command>${escapeXml(command)}</Command>`,
    `      <Arguments>${escapeXml(words)}</Arguments>`,
    '    </Exec>',
    '  </Actions>',
    '</Task>',
    '',
  ].join('\n')
}

/** Quotes a word for a program of Windows. Its paths contain no quotation marks. */
function quoteForWindows(word: string): string {
  return /^[\w.:\\/-]+$/.test(word) ? word : `"${word}"`
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

export const timerUnit = `${unitName}.timer`

const timeLimitMs = 10_000

/** The state of the installed units. */
interface UnitState {
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

/**
 * Returns `tt remind check` as a schedule runs it: with the paths of Node and of this program, which need no PATH, and
 * with the variables that name the files of tt. Throws TtError `usage` for the account of TT_TOKEN, which it cannot have.
 */
export function scheduledCommand(ctx: Context): ScheduledCommand {
  const { host, options, config } = ctx
  if (!config.profile.isNamed) {
    throw new TtError('usage', 'Reminders need a profile, and TT_TOKEN selects none.', {
      hint: 'Run `tt login`, or add --profile.',
    })
  }
  const { node, script } = host.program()
  const profile = options.profile === undefined ? [] : ['--profile', options.profile]
  const env: Record<string, string> = {}
  for (const name of ['TT_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'TZ']) {
    const value = host.env[name]
    if (name === 'TT_HOME' && value) env[name] = resolve(value)
    else if (value && (name === 'TZ' || isAbsolute(value))) env[name] = value
  }
  return { argv: [stablePath(node, host.env.PATH), script, 'remind', 'check', '--no-input', ...profile], env }
}

/** Returns the path of `node` on the PATH if it is this program: it survives an update, unlike the path of a version. */
function stablePath(node: string, path = ''): string {
  for (const directory of path.split(delimiter).filter(isAbsolute)) {
    const candidate = join(directory, 'node')
    try {
      if (existsSync(candidate) && realpathSync(candidate) === realpathSync(node)) return candidate
    } catch {
      // It cannot be read.
    }
  }
  return node
}
