import pino from 'pino'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export const logFormats = ['text', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

/** The fields of a line. Their names are snake_case, as in the API; `error` is written with its stack. */
export type LogFields = Readonly<Record<string, unknown>>

/** The log of the service: one line per event. */
export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

export interface LogOptions {
  format: LogFormat
  level: LogLevel
  clock: () => Date
}

/** Returns a log that writes lines of this level or above. */
export function createLog(write: (text: string) => void, { format, level, clock }: LogOptions): Log {
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      errorKey: 'error',
      timestamp: () => `,"time":"${clock().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: describeError },
    },
    { write: format === 'json' ? write : (line: string) => write(toText(line)) },
  )
  return logger
}

/** Describes an error without its other properties, which may contain values of a database. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack } = error
  const code = 'code' in error ? { code: error.code } : {}
  return { name, message, ...code, stack }
}

interface LogLine extends LogFields {
  level: string
  time: string
  message: string
}

/** Returns a line of JSON as text: `2024-05-08T12:00:00.000Z info Stopping. drain_seconds=5`. */
function toText(line: string): string {
  const { level, time, message, error, ...fields } = JSON.parse(line) as LogLine & {
    error?: { stack?: string }
  }
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${value}`)
  const stack = error?.stack === undefined ? '' : `\n${error.stack}`
  return `${time} ${level} ${message}${pairs.join('')}${stack}\n`
}
