import { z } from 'zod'
import { acceptedForms } from '../calendar/accepted-forms.js'
import type { EntryFilters } from '../entries/entry-filter.js'
import { TtError } from '../lib/errors.js'

/** The inputs that tools share. Their texts are parsed as on the command line. */

const formsOf = (kind: keyof typeof acceptedForms) => acceptedForms[kind].join(', ')

export const time = (what: string) =>
  z
    .string()
    .min(1)
    .describe(`${what}: ${formsOf('time')}, or RFC 3339`)

export const duration = (what: string) =>
  z
    .string()
    .min(1)
    .describe(`${what}: ${formsOf('duration')}`)

export const task = z
  .string()
  .min(1)
  .describe(
    'Task link ID, or name as Task, Project/Task or Client/Project/Task; the beginning of a name is enough. Find names with tasks_find.',
  )

export const notes = (what = 'Notes') => z.string().describe(what)

export const create = z
  .boolean()
  .describe('Create the task even if a similar one exists (local workspace only). Ask the user first.')

const entryForms = 'ID, @ for the running one, @1 for the last finished one, @2 for the one before it'

export const entry = z.string().min(1).describe(`Entry: ${entryForms}`)

export const entries = (min: number) =>
  z.array(z.string().min(1)).min(min).max(1000).describe(`Entries, each as ${entryForms}`)

/** Added to the input of tools that may need the user to confirm. */
export const confirm = z
  .boolean()
  .describe('True once the user has confirmed this change. Clients that can ask the user do so instead.')

/** Added to the input of tools that return a list of any length. */
export const limit = z.int().min(1).max(1000).default(100).describe('Return at most this many')

const date = (what: string) =>
  z
    .string()
    .min(1)
    .describe(`${what}: ${formsOf('date')}`)

/** A period of days. */
export const period = {
  period: date('Days to include, instead of since and until').optional(),
  since: date('First day').optional(),
  until: date('Last day, included').optional(),
}

const names = (what: string) =>
  z.array(z.string().min(1)).describe(`${what}; several are alternatives, and ! before one excludes it`)

/** The filters of entries on the command line. */
export const entryFilters = {
  client: names('Client names or IDs').optional(),
  project: names('Project names or IDs').optional(),
  task: names('Task names or IDs').optional(),
  notes: names('Texts in the notes').optional(),
  tag: names('Tags in the notes').optional(),
} satisfies Partial<Record<keyof EntryFilters, z.ZodType>>

interface PeriodInput {
  period?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

/** Returns the options of the command line for a period. Throws TtError `usage` for two periods. */
export function periodOptions<Input extends PeriodInput>({ period, since, until, ...rest }: Input) {
  if (period === undefined) return { ...rest, ...given({ since, until }) }
  if (since === undefined && until === undefined) return { ...rest, since: period, until: period }
  throw new TtError('usage', 'period cannot be used together with since or until.', {
    hint: 'Use period, or since and until.',
  })
}

function given(options: Record<string, string | undefined>) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
