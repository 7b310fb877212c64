import { existsSync, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import type { Context } from '../../cli/context.js'
import { TtError } from '../../lib/errors.js'
import type { ScheduledCommand } from './schedules.js'

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
