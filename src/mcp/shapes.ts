import { z } from 'zod'

/**
 * The shapes of the JSON that tools return, as with --json. Services may send further fields, so objects are open.
 */

const id = z.union([z.number(), z.string()])
const nullableId = id.nullable()
const name = z.string().nullable()
const dateTime = z.string().describe('RFC 3339')
const seconds = z.number().int()

export const entry = z.looseObject({
  id,
  time_start: dateTime,
  time_end: dateTime.nullable().describe('RFC 3339; null while it runs'),
  notes: z.string().nullish(),
  task_link_id: nullableId.optional(),
  client: name,
  project: name,
  task: name,
  client_id: nullableId,
  project_id: nullableId,
  task_id: nullableId,
  duration_seconds: seconds.describe('to now while it runs'),
  running: z.boolean(),
  pending: z.boolean().describe('not sent to the service yet'),
  local_id: z.string().nullish(),
})

export const loggedEntry = entry.extend({
  seconds_in_period: seconds,
  outside_period: z.enum(['before', 'after', 'both']).nullable(),
})

export const taskLink = z.looseObject({
  id,
  client: name,
  project: name,
  task: name,
  active: z.boolean(),
})

export const expense = z.looseObject({
  id,
  spent_on: z.string().nullish(),
  amount: z.string().nullish(),
  currency: z.string().nullish(),
  expense_type: name,
  project: name,
  client: name,
  pending: z.boolean(),
})

const totals = {
  seconds,
  rounded_seconds: seconds,
  count: z.number().int(),
  running: z.boolean(),
  amounts: z.looseObject({}).or(z.array(z.looseObject({}))),
}

interface Group {
  by: string
  key: string | null
  seconds: number
  groups: Group[]
}

const group: z.ZodType<Group> = z.lazy(() =>
  z.looseObject({
    by: z.string(),
    key: z.string().nullable(),
    ...totals,
    share: z.number(),
    groups: z.array(group),
  }),
)

export const report = z.looseObject({
  since: z.string().nullable(),
  until: z.string().nullable(),
  ...totals,
  by: z.array(z.string()),
  groups: z.array(group),
  target_seconds: seconds.nullable(),
  balance_seconds: seconds.nullable(),
})

export const gap = z.looseObject({
  n: z.number().int(),
  kind: z.string(),
  from: dateTime,
  to: dateTime,
  seconds,
  what: z.string(),
})

export const change = z.looseObject({
  id: z.number().int(),
  state: z.string(),
  op: z.string(),
  kind: z.string(),
  record: z.string().nullable(),
  message: z.string().nullable(),
})

export const historyChange = z.looseObject({
  n: z.number().int(),
  at: dateTime,
  what: z.string(),
})
