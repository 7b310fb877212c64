import { z } from 'zod'
import { describeField } from '../descriptions.js'
import type { Field, FieldType, RecordDeclaration } from '../records.js'
import * as records from '../records.js'
import { count, day, flag, id, localId, name, nullableName, seconds, text, time } from './values.js'

/**
 * The shapes of the fields of a record as a command prints them. Only the ID, the name and the times that users write are
 * always there: a service may omit others.
 */
const shapes = {
  id,
  name,
  reference: id.nullish(),
  text: text.nullish(),
  external_id: text.nullish(),
  currency: text.nullish(),
  decimal: text.nullish(),
  day: text.nullish(),
  boolean: flag.optional(),
  time: z.unknown().optional(),
  instant: z.unknown().optional(),
  tag: z.unknown().optional(),
} as const satisfies Record<FieldType, z.ZodType>
const nullableTime = time.nullable()

type KeyOf<Declared> = Declared extends { type: 'time'; write: string }
  ? Declared extends { isNullable: true }
    ? typeof nullableTime
    : typeof time
  : Declared extends { type: FieldType }
    ? (typeof shapes)[Declared['type']]
    : never

type DeclarationName = {
  [Name in keyof typeof records]: (typeof records)[Name] extends RecordDeclaration ? Name : never
}[keyof typeof records]

/** Returns the keys of the JSON of a record, with the meaning of those whose names do not say it. */
function recordKeys<Name extends DeclarationName>(
  declarationName: Name,
  { fields }: (typeof records)[Name],
): { [Key in keyof (typeof records)[Name]['fields']]: KeyOf<(typeof records)[Name]['fields'][Key]> } {
  const keys = Object.entries<Field>(fields).map(([key, { type, isNullable, write }]) => {
    const shape = type === 'time' && write ? (isNullable ? nullableTime : time) : shapes[type]
    const isClear = ['id', 'name', 'text'].includes(type) || key === 'created_at'
    return [key, isClear ? shape : shape.describe(describeField(declarationName, key))]
  })
  return Object.fromEntries(keys)
}

const entryKeys = {
  ...recordKeys('timeEntry', records.timeEntry),
  project: nullableName,
  client: nullableName,
  task: nullableName,
  project_id: id.nullable(),
  client_id: id.nullable(),
  task_id: id.nullable(),
  duration_seconds: z.int().describe('Whole seconds; up to now for a running entry.'),
  running: flag.describe('Whether the entry has no end yet.'),
  pending: flag.describe('Whether it has changes that have not been sent to the service yet.'),
  invoice: text.nullable().describe('Number of its invoice.'),
  local_id: localId.optional(),
}

/** A time entry: the fields of the service, then the names, the duration and the state. */
export const entry = z.looseObject(entryKeys).meta({
  id: 'Entry',
  description: 'A time entry. Further keys are fields of the service.',
})
export type EntryJson = z.infer<typeof entry>

export const commit = z
  .object({ hash: text, time: time.describe('The author date (RFC 3339).'), subject: text })
  .meta({ id: 'Commit', description: 'A commit of the user in the current Git repository.' })
export type CommitJson = z.infer<typeof commit>

/** How the part of an entry in the period is billed. */
const billingKeys = {
  hours: text.describe('Decimal, of the part in the period.'),
  rate: text.nullable(),
  amount: text.nullable(),
  currency: text.nullable(),
  billable: flag,
}
const entryBilling = z.object(billingKeys)
export type EntryBillingJson = z.infer<typeof entryBilling>

/** An entry of a period. */
export const loggedEntry = z
  .looseObject({
    ...entryKeys,
    seconds_in_period: seconds.describe('Of the part in the period.'),
    outside_period: z
      .enum(['before', 'after', 'both'])
      .nullable()
      .describe('On which side of the period the entry has another part.'),
    ...entryBilling.partial().shape,
    commits: z.array(commit).optional().describe('The commits during the entry; only with --git.'),
  })
  .meta({
    id: 'LoggedEntry',
    description: 'A time entry in a period. Further keys are fields of the service.',
  })
export type LoggedEntryJson = z.infer<typeof loggedEntry>

export const expense = z
  .looseObject({
    ...recordKeys('expense', records.expense),
    expense_type: nullableName,
    project: nullableName,
    client: nullableName,
    pending: flag.describe('Whether it has changes that have not been sent to the service yet.'),
    invoice: text.nullable().describe('Number of its invoice.'),
    local_id: localId.optional(),
  })
  .meta({ id: 'Expense', description: 'An expense. Further keys are fields of the service.' })
export type ExpenseJson = z.infer<typeof expense>

/** The words of --template that are no JSON keys. */
export const templateWords = z
  .object({
    day: day.describe('The day on which the entry starts.'),
    weekday: text.describe('The weekday of the start, such as "Wed".'),
    from: text.describe('The time of the start, such as 09:30.'),
    to: text.describe('The time of the end, or "running".'),
    duration: text.describe('In the format of the setting `duration_format`.'),
    hours: text.describe('Decimal hours, such as 1.25.'),
    label: text.describe('Client, project and task as displayed.'),
  })
  .meta({
    id: 'TemplateWords',
    description: 'Words of --template in addition to the keys of --json, as they are printed.',
  })
export type TemplateWord = keyof z.infer<typeof templateWords>

/** A pending or rejected change. */
export const queuedChange = z
  .object({
    id: z.int().describe('The number of the change, in the order of delivery.'),
    state: z
      .enum(['waiting', 'held', 'refused', 'conflict', 'ambiguous'])
      .describe(
        'waiting: is sent next; held: a timer that is sent when it stops; refused: rejected by the service; conflict: changed elsewhere; ambiguous: a new record that one of the candidates may be.',
      ),
    op: z.enum(['create', 'update', 'delete']),
    kind: z.enum(['entry', 'expense']),
    record: text.describe('The ID of the record, or a local ID such as "~3".'),
    when: text.nullable().describe('Start of the entry (RFC 3339) or day of the expense.'),
    notes: text.nullable(),
    fields: z
      .record(z.string(), z.unknown())
      .describe('The fields that are sent, with their names at the service.'),
    attempts: count.describe('The number of requests so far.'),
    in_doubt: flag.describe('Whether the service may have applied it although no response arrived.'),
    sent_at: time.nullable().describe('Time of the last request (RFC 3339); null before the first.'),
    message: text.nullable().describe('Why it was rejected; null if it was not.'),
    candidates: z
      .array(z.string())
      .nullable()
      .describe('The IDs of the records that an ambiguous change may have created; null for any other.'),
    status: z.int().nullable().describe('The HTTP status of the rejection.'),
    typed_at: time.describe('When the change was made (RFC 3339).'),
  })
  .meta({ id: 'QueuedChange', description: 'A change that the service does not have yet.' })
export type QueuedChangeJson = z.infer<typeof queuedChange>

/** A change that can be undone or redone. */
export const historyChange = z
  .object({
    n: z.int().describe('1 for the last change, 2 for the one before.'),
    at: time.describe('When it was made (RFC 3339).'),
    what: text.describe('The change as a sentence.'),
    records: z.array(z.object({ kind: z.enum(['entry', 'expense']), id: z.string() })),
  })
  .meta({ id: 'HistoryChange', description: 'A change that can be undone or redone.' })
export type HistoryChangeJson = z.infer<typeof historyChange>

/** A tag with the entries whose notes have it. */
export const tag = z
  .object({
    tag: text.describe('The tag without "#".'),
    count: count.describe('The number of entries.'),
    seconds,
    last_used: time.describe('The start of the last entry (RFC 3339).'),
  })
  .meta({ id: 'Tag' })
export type TagJson = z.infer<typeof tag>

const changedEntry = z.looseObject({
  ...entryKeys,
  operation: z.enum(['create', 'update', 'delete']),
  before: entry.nullable().describe('The entry before the change; null for a new one.'),
  after: entry.nullable().describe('The entry after the change; null for a deleted one.'),
})
/** What a hook receives on standard input. */
export const hookInput = z
  .union([
    changedEntry,
    z.object({
      operation: z.literal('batch').describe('An import, or a change of more than 100 entries.'),
      title: text,
      count: count.nullable().describe('The number of entries, if it is known.'),
    }),
  ])
  .meta({ id: 'HookInput', description: 'The standard input of a hook: the entry and both versions.' })
export type HookInputJson = z.infer<typeof hookInput>

const taskKeys = {
  id,
  project_id: id.nullish(),
  task_id: id.nullish(),
  active: flag,
  label: text.describe('Client, project and task as displayed.'),
  client: nullableName,
  client_id: id.nullable(),
  project: nullableName,
  task: nullableName,
}

export const task = z.looseObject(taskKeys).meta({
  id: 'Task',
  description:
    'A combination of project and task on which time can be tracked. Further keys are fields of the service.',
})
export type TaskJson = z.infer<typeof task>

export const usedTask = z
  .looseObject({
    ...taskKeys,
    entries: count.describe('The number of entries.'),
    seconds: seconds.describe('Whole seconds within the last 7 days.'),
    last_used: time.describe('The start of the last entry (RFC 3339).'),
  })
  .meta({ id: 'UsedTask', description: 'A task with its use in the last 7 days.' })
export type UsedTaskJson = z.infer<typeof usedTask>

export const namedRecord = z
  .looseObject(recordKeys('client', records.client))
  .meta({ id: 'NamedRecord', description: 'A record with a name. Further keys are fields of the service.' })

export const project = z
  .looseObject({
    ...recordKeys('project', records.project),
    client: nullableName.optional(),
  })
  .meta({ id: 'Project', description: 'A project. Further keys are fields of the service.' })

export const assignment = z
  .looseObject({
    ...recordKeys('assignment', records.assignment),
    project: nullableName.optional(),
    client: nullableName.optional(),
  })
  .meta({
    id: 'Assignment',
    description: 'An assignment to a project. Further keys are fields of the service.',
  })

export const company = z
  .looseObject(recordKeys('company', records.company))
  .meta({ id: 'Company', description: 'The company. Further keys are fields of the service.' })

/** Records to which a service adds fields of its own. Only their strict schemas have no others. */
export const serviceRecords: ReadonlySet<unknown> = new Set([
  ...[entry, loggedEntry, changedEntry, expense, task, usedTask, namedRecord, project, assignment],
  company,
])
