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

/**
 * One reader for each kind of record (service-api-v1.md section 2). Each evens out the parsed JSON in place, so that
 * the fields nobody expected stay, and throws NonsenseError that names the part which makes no sense.
 */

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

export function readNamed(value: unknown, what: string): Fields & NamedRecord {
  const record = toRecord(value, what)
  const id = readId(record.id, what)
  return Object.assign(record, { id, name: readName(record, id) })
}

export function readProject(value: unknown): Project {
  const record = withFlag(readNamed(value, 'project'))
  return Object.assign(record, { client_id: readRelation(record, 'client') }) as Project
}

export function readTaskLink(value: unknown): TaskLink {
  const record = withFlag(toRecord(value, 'task link'))
  return Object.assign(record, {
    id: readId(record.id, 'task link'),
    project_id: readRelation(record, 'project'),
    task_id: readRelation(record, 'task'),
  }) as TaskLink
}

/** A task link as `most_used_tasks` may name it: the link itself, its bare id, or a count beside either. */
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
  // There is only one: a service may see no need for an id.
  const id = record.id === undefined ? readName(record, 'company') : readId(record.id, 'company')
  return Object.assign(record, {
    id,
    name: readName(record, id),
    currency: textOrNull(record.currency),
    time_zone: textOrNull(record.time_zone),
  })
}

export function readExpenseType(value: unknown): ExpenseType {
  return withFlag(readNamed(value, 'expense type')) as ExpenseType
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

/** `active` as a boolean, where it was sent. */
function withFlag<Record extends Fields>(record: Record): Record {
  const { active } = record
  if (active === undefined || typeof active === 'boolean') return record
  return Object.assign(record, { active: !['0', 'f', 'false', 'no'].includes(String(active).toLowerCase()) })
}
