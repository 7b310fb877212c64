import { z } from 'zod'
import { count, day, flag, id, name, text, time } from './values.js'

const userKeys = { id, email: text, name, active: flag }
export const user = z.object(userKeys).meta({ id: 'User' })
export const addedUser = z
  .object({ ...userKeys, token: text.optional().describe('The token of the user; shown only once.') })
  .meta({ id: 'AddedUser' })
export const userToken = z.object({ email: text, token: text.describe('Shown only once.') })

export const importedUser = z
  .object({
    line: z.int().describe('The line of the file.'),
    email: text,
    name,
    status: z.enum(['added', 'assigned', 'unchanged']),
    projects: z.array(name).describe('The projects that the user is newly assigned to.'),
    password: text.optional().describe('Only with --passwords -.'),
    token: text.optional().describe('Only with --tokens -.'),
  })
  .meta({ id: 'ImportedUser' })
export type ImportedUserJson = z.infer<typeof importedUser>

export const removedUser = z
  .object({
    id,
    email: text,
    records: z
      .enum(['kept', 'deleted'])
      .nullable()
      .describe('What happened to the time and the expenses; null for a user without any.'),
    entries: count,
    seconds: count,
    expenses: count,
  })
  .meta({ id: 'RemovedUser' })
export type RemovedUserJson = z.infer<typeof removedUser>

export const browserSession = z
  .object({ created_at: time, expires_at: time, address: text.nullable(), browser: text.nullable() })
  .meta({ id: 'BrowserSession' })
export type BrowserSessionJson = z.infer<typeof browserSession>

export const issuedToken = z
  .object({
    id: text,
    user: text,
    kind: z.enum(['key', 'admin', 'oauth']),
    name,
    scopes: z.array(text),
    valid: flag.describe('Whether the service accepts it.'),
    created_at: time,
    used_at: time.nullable().describe('The last use, to the hour.'),
    expires_at: time.nullable(),
    revoked_at: time.nullable(),
  })
  .meta({ id: 'IssuedToken', description: 'A token, or the consent to an application, without its secret.' })
export type IssuedTokenJson = z.infer<typeof issuedToken>

export const userAssignment = z
  .object({
    id,
    user: text,
    client: name.nullable(),
    project: name,
    project_id: id.nullable(),
    starts_on: day.nullish(),
    ends_on: day.nullish(),
  })
  .meta({ id: 'UserAssignment' })
export type UserAssignmentJson = z.infer<typeof userAssignment>

const changedFields = z.record(z.string(), z.unknown()).nullish()

export const auditRecord = z
  .object({
    id: z.int(),
    at: time,
    event: text.describe('Such as "sign_in".'),
    actor: text
      .nullable()
      .describe('The user, or the operating system user and machine of an administrator.'),
    address: text.nullable(),
    details: text.nullable(),
    user: text.nullish().describe('The user of the entry or expense; only with --entries.'),
    record_id: z.int().optional().describe('The ID of the entry or expense; only with --entries.'),
    old: changedFields.describe('The fields before the change; null for a new record.'),
    new: changedFields.describe('The fields after the change; null for a deleted record.'),
  })
  .meta({ id: 'AuditRecord' })
export type AuditRecordJson = z.infer<typeof auditRecord>

export const companySettings = z
  .object({
    id,
    name,
    currency: text.nullish(),
    time_zone: text.nullish(),
    legacy_keys: flag.describe('Whether legacy keys are issued and accepted.'),
    legacy_key_days: z.int().nullable().describe('After how many days they expire; null for no limit.'),
    visibility: z.enum(['open', 'assigned']),
    closed_until: day.nullable().describe('Last day whose entries and expenses are read-only.'),
  })
  .meta({ id: 'CompanySettings' })

export const application = z
  .object({
    client_id: text,
    name,
    redirect_uris: z.array(text),
    public: flag,
    client_secret: text.optional().describe('Shown only once.'),
  })
  .meta({ id: 'Application' })

export const seeded = z.object({
  entries: count,
  expenses: count,
  first_day: day.nullable(),
  last_day: day.nullable(),
})

export const databaseBackup = z
  .object({ file: text, bytes: count, users: count, entries: count, expenses: count })
  .meta({ id: 'DatabaseBackup' })
export type DatabaseBackupJson = z.infer<typeof databaseBackup>

export const openApiDocument = z
  .looseObject({ openapi: text })
  .meta({ id: 'OpenApiDocument', description: 'A document of OpenAPI 3.1.' })
