import { createHash } from 'node:crypto'

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
export function isUnedited(text: string): boolean {
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
