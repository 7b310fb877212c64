import { TtError } from '../../../lib/errors.js'
import type { commands } from '../../../program/declarations/service.js'
import type { Options } from '../../../program/input.js'

/** Returns how to connect to the database, and its limits while it serves requests. Throws TtError `usage`. */
export function readDatabaseOptions(options: Options<typeof commands.serve>) {
  return {
    connection: {
      poolSize: parseNumber('--pool-size', options.poolSize, 1),
      connectMs: parseSeconds('--connection-timeout', options.connectionTimeout, 0.1),
      keepAliveMs: parseSeconds('--keepalive', options.keepalive, 1),
      preparesStatements: options.preparedStatements ?? false,
    },
    limits: {
      statementMs: parseSeconds('--statement-timeout', options.statementTimeout),
      idleInTransactionMs: parseSeconds('--idle-transaction-timeout', options.idleTransactionTimeout),
      lockMs: parseSeconds('--lock-timeout', options.lockTimeout),
    },
  }
}

/** Returns the whole number of an option. Throws TtError `usage` below `least`. */
export function parseNumber(option: string, text: string, least: number): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text)
  throw new TtError('usage', `${option} takes a whole number, ${least} or more, not "${text}".`)
}

/** Returns the seconds of an option in milliseconds. Throws TtError `usage` below `least`. */
function parseSeconds(option: string, text: string, least = 0): number {
  if (/^\d{1,5}(\.\d{1,3})?$/.test(text) && Number(text) >= least) return Math.round(Number(text) * 1000)
  throw new TtError('usage', `${option} takes seconds, ${least} or more, not "${text}".`)
}
