import type { Storage } from '../service/storage/storage.js'
import type { AnyInput } from './command.js'
import { commonOptions } from './common-options.js'
import { keyOf } from './read-input.js'

/**
 * Runs the change of a command and records the command in the audit log, in one transaction. The change must use only the
 * storage that it receives. `hasChanged` is false for a result without a change, which is not recorded.
 */
export type RecordedChange = <Result>(
  storage: Storage,
  change: (storage: Storage) => Promise<Result>,
  hasChanged?: (result: Result) => boolean,
) => Promise<Result>

/**
 * Returns the function with which a command makes its change. It records the command with its arguments and options: not
 * after an error or a declined prompt. Secrets are never among the arguments and options, except in the address of a
 * database, which is left out.
 */
export function recorderOf(name: string, input: AnyInput, clock: () => Date): RecordedChange {
  return async (storage, change, hasChanged) => {
    const { withAudit } = await import('../service/admin/audit-log.js')
    return withAudit(storage, { command: commandText(name, input), clock, hasChanged }, change)
  }
}

/** The options of every command, which do not change what it does. */
const commonNames: readonly string[] = Object.keys(commonOptions).map(keyOf)

/** Returns "user add ada@example.com {"name":"Ada"}" for "tt admin user add". */
function commandText(name: string, { args, options }: AnyInput): string {
  const set = Object.entries(options).filter(
    ([option, value]) => value !== undefined && option !== 'database' && !commonNames.includes(option),
  )
  const words = Object.values(args)
    .flat()
    .filter((word) => word !== undefined)
  const optionText = set.length > 0 ? [JSON.stringify(Object.fromEntries(set))] : []
  return [name.replace(/^tt admin /, ''), ...words.map(String), ...optionText].join(' ')
}
