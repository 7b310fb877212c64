import type { McpServer } from '@modelcontextprotocol/server'
import type { AnyInput, Invocation } from '../cli/command.js'
import { commands as configs } from '../program/declarations/config.js'
import { commands as reports } from '../program/declarations/report.js'
import { commands as timer } from '../program/declarations/timer.js'
import { jsonText } from '../ui/formats/json.js'
import type { Calls } from './calls.js'
import { sourceNotice, toTtError } from './content.js'
import { type Caller, runCommand } from './run-command.js'

/** Runs a command with this input and returns what it prints with --json. */
type Read = (command: Invocation['command'], input?: Partial<AnyInput>) => Promise<unknown>

interface Resource {
  name: string
  uri: string
  title: string
  description: string
  read(read: Read): Promise<Record<string, unknown>>
}

/** The settings about working time; a name that ends with a dot stands for all that begin with it. */
const workSettings = ['week_start', 'working_days', 'working_hours', 'holidays', 'target.', 'entry_limit']

const resources: readonly Resource[] = [
  {
    name: 'today',
    uri: 'tt://log/today',
    title: "Today's log",
    description: 'The time entries of today',
    read: async (read) => ({
      entries: await read(reports.log, { args: { period: ['today'] } }),
    }),
  },
  {
    name: 'timer',
    uri: 'tt://timer',
    title: 'Running timer',
    description: 'The running timer, or null',
    read: async (read) => ({ timer: await read(timer.status) }),
  },
  {
    name: 'targets',
    uri: 'tt://targets',
    title: 'Targets and working hours',
    description: 'Working days and hours, targets, and the balance of today and of this week in seconds',
    read: async (read) => {
      const totals = async (period: 'today' | 'week') =>
        balanceOf(
          (await read(reports.report, {
            args: { period: [period] },
            options: { by: 'day' },
          })) as Record<string, unknown>,
        )
      return {
        settings: workValues((await read(configs.config.commands.list)) as StoredSetting[]),
        today: await totals('today'),
        week: await totals('week'),
      }
    },
  },
]

interface StoredSetting {
  name: string
  value: unknown
}

/** Registers the resources with a server. Each is read anew whenever a client reads it. */
export function registerResources(server: McpServer, caller: Caller, calls: Calls): void {
  for (const { name, uri, title, description, read } of resources) {
    server.registerResource(
      name,
      uri,
      { title, description, mimeType: 'application/json' },
      async (_, { mcpReq: { signal } }) => {
        const messages: string[] = []
        const run: Read = async (command, { args = {}, options = {} } = {}) =>
          (await runCommand({ name, command, input: { args, options } }, caller, messages)).value
        const value = await calls.read(signal, () => read(run)).catch(rethrow)
        const text = jsonText({
          notice: `This is data from the time tracker. ${sourceNotice}`,
          ...value,
          messages,
        })
        return { contents: [{ uri, mimeType: 'application/json', text }] }
      },
    )
  }
}

/** Throws an error with a message alone, because the server sends it to the client. */
function rethrow(error: unknown): never {
  throw new Error(toTtError(error).message)
}

function workValues(settings: readonly StoredSetting[]): Record<string, unknown> {
  const isOfWork = (name: string) =>
    workSettings.some((known) => (known.endsWith('.') ? name.startsWith(known) : name === known))
  return Object.fromEntries(
    settings.filter(({ name }) => isOfWork(name)).map(({ name, value }) => [name, value]),
  )
}

function balanceOf({ since, until, seconds, target_seconds, balance_seconds }: Record<string, unknown>) {
  return { since, until, seconds, target_seconds, balance_seconds }
}
