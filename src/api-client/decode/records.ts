import { isObject } from '../../lib/is-object.js'
import type {
  Assignment,
  Company,
  Expense,
  ExpenseType,
  NamedRecord,
  Project,
  TaskLink,
  TimeEntry,
} from '../types.js'
import { dayOrNull, type Fields, readId, readName, readRelation, textOrNull, toRecord } from './shapes.js'
import { readAmount, readTime } from './values.js'

// Each function reads one kind of record (service-api-v1.md section 2). It normalizes the parsed JSON in place, which
// preserves unknown fields, and throws an InvalidResponseError that names the invalid part.

export function readTimeEntry(value: unknown): TimeEntry {
  const record = toRecord(value, 'time entry')
  const end = record.time_end
  if (record.external_id !== undefined) record.external_id = textOrNull(record.external_id)
  return Object.assign(record, {
    id: readId(record.id, 'time entry'),
    time_start: readTime(record.time_start, 'time_start'),
    time_end: end === undefined || end === null || end === '' ? null : readTime(end, 'time_end'),
    notes: textOrNull(record.notes),
    task_link_id: readRelation(record, 'task_link'),
  }) as TimeEntry
}

export function readNamedRecord(value: unknown, kind: string): Fields & NamedRecord {
  const record = toRecord(value, kind)
  const id = readId(record.id, kind)
  return withActiveFlag(Object.assign(record, { id, name: readName(record, id) }))
}

export function readProject(value: unknown): Project {
  const record = readNamedRecord(value, 'project')
  return Object.assign(record, { client_id: readRelation(record, 'client') }) as Project
}

export function readTaskLink(value: unknown): TaskLink {
  const record = withActiveFlag(toRecord(value, 'task link'))
  return Object.assign(record, {
    id: readId(record.id, 'task link'),
    project_id: readRelation(record, 'project'),
    task_id: readRelation(record, 'task'),
  }) as TaskLink
}

/** Reads a task link of `most_used_tasks`: the link itself, only its ID, or either with a count. */
export function readUsedTaskLink(value: unknown): TaskLink {
  if (!isObject(value) && !Array.isArray(value)) return readTaskLink({ id: value })
  const record = toRecord(value, 'task link')
  const id = readRelation(record, 'task_link')
  if (id === null) return readTaskLink(record)
  const nested = isObject(record.task_link) ? record.task_link : {}
  return readTaskLink({ ...nested, ...record, id })
}

export function readAssignment(value: unknown): Assignment {
  const record = toRecord(value, 'assignment')
  return Object.assign(record, {
    id: readId(record.id, 'assignment'),
    project_id: readRelation(record, 'project'),
    starts_on: dayOrNull(record.starts_on),
    ends_on: dayOrNull(record.ends_on),
  })
}

export function readCompany(value: unknown): Company {
  const record = toRecord(value, 'company')
  // There is only one company, so a service may omit its ID.
  const id = record.id === undefined ? readName(record, 'company') : readId(record.id, 'company')
  return Object.assign(record, {
    id,
    name: readName(record, id),
    currency: textOrNull(record.currency),
    time_zone: textOrNull(record.time_zone),
    closed_until: dayOrNull(record.closed_until),
  })
}

export function readExpenseType(value: unknown): ExpenseType {
  return readNamedRecord(value, 'expense type') as ExpenseType
}

export function readExpense(value: unknown): Expense {
  const record = toRecord(value, 'expense')
  const amount = record.amount
  if (record.external_id !== undefined) record.external_id = textOrNull(record.external_id)
  return Object.assign(record, {
    id: readId(record.id, 'expense'),
    spent_on: dayOrNull(record.spent_on),
    amount: amount === undefined || amount === null || amount === '' ? null : readAmount(amount, 'amount'),
    currency: textOrNull(record.currency),
    expense_type_id: readRelation(record, 'expense_type'),
    project_id: readRelation(record, 'project'),
    notes: textOrNull(record.notes),
  }) as Expense
}

/** Reads `active` as a boolean, if the record has it. */
function withActiveFlag<Record extends Fields>(record: Record): Record {
  const { active } = record
  if (active === undefined || typeof active === 'boolean') return record
  return Object.assign(record, { active: !['0', 'f', 'false', 'no'].includes(String(active).toLowerCase()) })
}
