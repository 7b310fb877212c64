import { z } from 'zod'
import { acceptedForms } from '../lib/calendar/calendar-names.js'
import type { EntryFilterOptions } from '../program/options/entry-filters.js'

/** The inputs that tools share. Their texts are parsed as on the command line. */

const text = z.string().min(1)
const id = z.int().min(1)

const formsOf = (kind: keyof typeof acceptedForms) => acceptedForms[kind].join(', ')

export const time = (what: string) => text.describe(`${what}: ${formsOf('time')}, or RFC 3339`)

/** A time whose forms the input of that name describes. */
export const timeLike = (what: string, input: string) => text.describe(`${what}. A time like ${input}`)

export const times = (what: string) =>
  z
    .union([text, z.array(text).min(1).max(100)], { error: 'Expected a time or a list of times' })
    .transform((value) => [value].flat())
    .describe(`${what}: ${formsOf('time')}, or RFC 3339`)

export const duration = (what: string) => text.describe(`${what}: ${formsOf('duration')}`)

const textOrId = z.union([text, id], { error: 'Expected a text or an ID' })

/** A name or an ID; agents send IDs as numbers, too. */
export const nameOrId = (what: string) => textOrId.transform(String).describe(what)

/** Names or IDs in a list, or only one. */
export const namesOrIds = (what: string, min = 1) =>
  z
    .union([textOrId, z.array(textOrId).min(min).max(1000)], { error: 'Expected texts or IDs' })
    .transform((value) => [value].flat().map(String))
    .describe(what)

export const task = nameOrId(
  'Task ID, or name as Task, Project/Task or Client/Project/Task; the beginning of a name is enough. Find names with tasks_find.',
)

export const notes = (what = 'Notes') => z.string().describe(what)

export const create = z
  .boolean()
  .describe(
    'Create the client, project and task if they do not exist (local workspace only); the user has to confirm it',
  )

const entryForms =
  'ID (also one such as ~3, of an unsent entry), @ for the running one, @1 for the last finished one, @2 for the one before it'

export const entry = nameOrId(`Entry: ${entryForms}`)

export const entries = (min: number) => namesOrIds(`Entries, each as ${entryForms}`, min)

/** Added to the input of tools that may need the user to confirm. */
export const confirm = z
  .string({ error: 'Omit it first: the error then contains the code' })
  .describe('The code from the error of this call, once the user has agreed to what it shows')

/** Added to the input of tools that return a list of any length. */
export const limit = z.int().min(1).max(1000).default(100).describe('Return at most this many')

/** Accepts null for what can be omitted, as some agents send it. The JSON Schema is that of the input. */
export function withNulls(input: z.ZodObject): z.ZodObject {
  const fields = Object.entries(input.shape as Record<string, z.ZodType>)
  return z.strictObject(Object.fromEntries(fields.map(([key, field]) => [key, withNull(field)])))
}

function withNull(field: z.ZodType): z.ZodType {
  const { success: isOptional, data: fallback } = field.safeParse(undefined)
  if (!isOptional) return field
  const nullable = z.preprocess((value) => value ?? undefined, field)
  return fallback === undefined ? nullable.optional() : nullable.default(fallback)
}

/** A period of days. */
export const period = {
  period: text.describe(`Days, instead of since and until: ${formsOf('period')}`).optional(),
  since: text.describe('First day. A date like period').optional(),
  until: text.describe('Last day, included').optional(),
}

const names = (what: string) => namesOrIds(what, 0)

/** The filters of entries on the command line. */
export const entryFilters = {
  client: names('Client names or IDs; several are alternatives, and ! before one excludes it').optional(),
  project: names('Project names or IDs, like client').optional(),
  task: names('Task names or IDs, like client').optional(),
  notes: names('Texts in the notes, like client').optional(),
  tag: names('Tags in the notes, like client').optional(),
  billable: z.boolean().describe('Only billable entries; false: only non-billable ones').optional(),
} satisfies Partial<Record<keyof EntryFilterOptions, z.ZodType>>

/** Returns an input whose `billable` is one of two options. */
export function withFilter({
  billable,
  ...input
}: Record<string, unknown> & { billable?: boolean | undefined }): Record<string, unknown> {
  return billable === undefined ? input : { ...input, [billable ? 'billable' : 'notBillable']: true }
}
