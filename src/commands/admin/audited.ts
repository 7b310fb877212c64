import type { Context } from '../../cli/context.js'
import type { commonOptions } from '../../program/common-options.js'
import type { OptionValues } from '../../program/contract.js'

interface AuditedInput {
  args?: object
  options?: object
}

/**
 * Returns a command that records itself with its arguments and options in the audit log of its database after it has
 * changed something: not after an error or a declined prompt. Secrets are never among the arguments and options, except in
 * the address of a database, which is left out.
 */
export function audited<Module extends { run(ctx: Context, input: never): Promise<unknown> }>(
  name: string,
  module: Module,
): Module {
  const run = async (ctx: Context, input: AuditedInput) => {
    const result = await module.run(ctx, input as never)
    const { database, ...others } = { database: undefined, ...input.options } as Record<string, unknown>
    const options = Object.fromEntries(Object.entries(others).filter(([option]) => !(option in commonNames)))
    const isShown = name === 'company' && Object.values(options).every((value) => value === undefined)
    if (result !== undefined && !isShown) {
      const { recordAdminCommand } = await import('../../service/admin/audit-log.js')
      const storage = await ctx.storage(database as string | undefined)
      await recordAdminCommand(storage, commandText(name, input.args ?? {}, options), ctx.host.now)
    }
    return result
  }
  return { ...module, run }
}

/** The options of every command, which do not change what it does. */
const commonNames: Readonly<Record<keyof OptionValues<typeof commonOptions>, true>> = {
  ...{ json: true, profile: true, input: true, quiet: true, debug: true, color: true, yes: true },
}

/** Returns "user add ada@example.com {"name":"Ada"}". */
function commandText(name: string, args: object, options: object): string {
  const set = Object.entries(options).filter(([, value]) => value !== undefined)
  const words = Object.values(args)
    .flat()
    .filter((word) => word !== undefined)
  const optionText = set.length > 0 ? [JSON.stringify(Object.fromEntries(set))] : []
  return [name, ...words.map(String), ...optionText].join(' ')
}
