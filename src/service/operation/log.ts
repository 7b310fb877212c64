import pino from 'pino'

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const logFormats = ['text', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

/** The fields of a line. Their names are snake_case, as in the API; `error` is written with its stack. */
type LogFields = Readonly<Record<string, unknown>>

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
export function createLog(write: (text: string) => void, options: LogOptions): Log {
  return options.format === 'json' ? createJsonLog(write, options) : createTextLog(write, options)
}

function createJsonLog(write: (text: string) => void, { level, clock }: LogOptions): Log {
  return pino(
    {
      level,
      base: null,
      messageKey: 'message',
      errorKey: 'error',
      timestamp: () => `,"time":"${clock().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: describeError },
    },
    { write },
  )
}

/** Writes lines such as `2024-05-08T12:00:00.000Z info Stopping. drain_seconds=5`. */
function createTextLog(write: (text: string) => void, { level, clock }: LogOptions): Log {
  const writer = (name: LogLevel) => (fields: LogFields, message: string) => {
    if (logLevels.indexOf(name) < logLevels.indexOf(level)) return
    const { error, ...others } = fields
    let line = `${clock().toISOString()} ${name} ${message}`
    for (const key in others) if (others[key] !== undefined) line += ` ${key}=${others[key]}`
    write(`${line}${stackOf(error)}\n`)
  }
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') }
}

function stackOf(error: unknown): string {
  if (error === undefined) return ''
  return `\n${error instanceof Error ? error.stack : String(error)}`
}

/** Describes an error without its other properties, which may contain values of a database. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack } = error
  const code = 'code' in error ? { code: error.code } : {}
  return { name, message, ...code, stack }
}
