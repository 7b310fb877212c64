import { isObject } from '../../lib/is-object.js'
import {
  assignment,
  client,
  company,
  expense,
  expenseType,
  type Field,
  type Id,
  project,
  type RecordDeclaration,
  type RecordOf,
  task,
  taskLink,
  timeEntry,
} from '../../records/records.js'
import { dayOrNull, type Fields, readId, readName, readRelation, textOrNull, toRecord } from './shapes.js'
import { readAmount, readTime } from './values.js'

/**
 * Returns the function that decodes a kind of record. It normalizes the parsed JSON in place, which preserves unknown fields,
 * and throws an InvalidResponseError that names the invalid part.
 */
function decoder<Declaration extends RecordDeclaration>(
  declaration: Declaration,
): (value: unknown) => RecordOf<Declaration> {
  const { noun } = declaration
  const fields = Object.entries<Field>(declaration.fields)
  // Other services archive tasks, too.
  const hasFlag = declaration.noun === task.noun || 'active' in declaration.fields
  return (value) => {
    const record = toRecord(value, noun)
    for (const [name, field] of fields) {
      const decoded = decodeField(record, name, field, noun)
      if (decoded !== undefined) record[name] = decoded
    }
    if (hasFlag && record.active !== undefined) record.active = readFlag(record.active)
    return record as RecordOf<Declaration>
  }
}

/** Returns undefined for a field that stays as it is. */
function decodeField(
  record: Fields,
  name: string,
  { type, isNullable, write }: Field,
  noun: string,
): unknown {
  const value = record[name]
  switch (type) {
    case 'id':
      return readId(value, noun)
    case 'reference':
      return readRelation(record, name.slice(0, -'_id'.length))
    case 'name':
      return readName(record, record.id as Id)
    case 'text':
    case 'currency':
      return textOrNull(value)
    case 'external_id':
      return value === undefined ? undefined : textOrNull(value)
    case 'day':
      return dayOrNull(value)
    case 'decimal':
      return isMissing(value) ? null : readAmount(value, name)
    case 'time':
      // Only the service of this program defines other times.
      if (!write) return undefined
      return isNullable && isMissing(value) ? null : readTime(value, name)
    case 'boolean':
    case 'instant':
    case 'tag':
      return undefined
  }
}

const isMissing = (value: unknown) => value === undefined || value === null || value === ''

function readFlag(value: unknown): boolean {
  return typeof value === 'boolean' ? value : !['0', 'f', 'false', 'no'].includes(String(value).toLowerCase())
}

export const readTimeEntry = decoder(timeEntry)
export const readExpense = decoder(expense)
export const readProject = decoder(project)
export const readClient = decoder(client)
export const readTask = decoder(task)
export const readTaskLink = decoder(taskLink)
export const readAssignment = decoder(assignment)
export const readExpenseType = decoder(expenseType)
const readCompanyWithId = decoder(company)

/** There is only one company, so that a service may omit its ID. */
export function readCompany(value: unknown): RecordOf<typeof company> {
  const record = toRecord(value, company.noun)
  return readCompanyWithId({ ...record, id: record.id ?? readName(record, company.noun) })
}

/** Reads a task link of `most_used_tasks`: the link itself, only its ID, or either with a count. */
export function readUsedTaskLink(value: unknown): RecordOf<typeof taskLink> {
  if (!isObject(value) && !Array.isArray(value)) return readTaskLink({ id: value })
  const record = toRecord(value, taskLink.noun)
  const id = readRelation(record, 'task_link')
  if (id === null) return readTaskLink(record)
  const nested = isObject(record.task_link) ? record.task_link : {}
  return readTaskLink({ ...nested, ...record, id })
}
