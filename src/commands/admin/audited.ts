import { commonOptions } from '../../cli/common-options.js'
import type { Context } from '../../cli/context.js'
import { keyOf } from '../../cli/read-input.js'
import type { Storage } from '../../service/storage/storage.js'

/**
 * Runs the change of a command and records the command in the audit log, in one transaction. The change must use only the
 * storage that it receives. `hasChanged` is false for a result without a change, which is not recorded.
 */
export type RecordedChange = <Result>(
  storage: Storage,
  change: (storage: Storage) => Promise<Result>,
  hasChanged?: (result: Result) => boolean,
) => Promise<Result>

interface AuditedInput {
  args?: object
  options?: object
}

/** A command that makes its change with `recorded`. */
interface ChangingCommand {
  run(ctx: Context, input: never, recorded: RecordedChange): Promise<unknown>
}

/** A command as the program runs it. */
type Audited<Module extends ChangingCommand> = Omit<Module, 'run'> & {
  run(ctx: Context, input: Parameters<Module['run']>[1]): ReturnType<Module['run']>
}

/**
 * Returns a command that records itself with its arguments and options when it changes something: not after an error or a
 * declined prompt. Secrets are never among the arguments and options, except in the address of a database, which is left
 * out.
 */
export function audited<Module extends ChangingCommand>(name: string, module: Module): Audited<Module> {
  const run = (ctx: Context, input: AuditedInput) =>
    module.run(ctx, input as never, async (storage, change, hasChanged) => {
      const { withAudit } = await import('../../service/admin/audit-log.js')
      const record = { command: commandText(name, input), clock: ctx.host.now, hasChanged }
      return withAudit(storage, record, change)
    })
  return { ...module, run } as unknown as Audited<Module>
}

/** The options of every command, which do not change what it does. */
const commonNames: readonly string[] = Object.keys(commonOptions).map(keyOf)

/** Returns "user add ada@example.com {"name":"Ada"}". */
function commandText(name: string, { args = {}, options = {} }: AuditedInput): string {
  const set = Object.entries(options).filter(
    ([option, value]) => value !== undefined && option !== 'database' && !commonNames.includes(option),
  )
  const words = Object.values(args)
    .flat()
    .filter((word) => word !== undefined)
  const optionText = set.length > 0 ? [JSON.stringify(Object.fromEntries(set))] : []
  return [name, ...words.map(String), ...optionText].join(' ')
}
