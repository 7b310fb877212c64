import { z } from 'zod'
import { count, day, flag, id, name, text, time } from './values.js'

const method = z
  .enum(['local', 'token', 'oauth', 'key'])
  .describe('local: no service; token: TT_TOKEN; oauth: OAuth 2.0; key: a legacy key.')

export const account = z
  .object({
    profile: name,
    base_url: text.nullable().describe('The address of the service; null for the local workspace.'),
    auth_url: text.nullable(),
    method,
    company: name.nullable(),
    company_id: id.nullable(),
    client_id: text.nullable().describe('The ID of the OAuth application.'),
    scope: text.nullable(),
    expires_at: text
      .nullable()
      .describe('When the token expires (RFC 3339); null if it does not or is not known.'),
    secrets: text.nullable().describe('Where the secrets are stored.'),
    signed_in: flag,
  })
  .meta({ id: 'Account', description: 'The signed-in account, without its secrets.' })
export type AccountJson = z.infer<typeof account>

export const profile = z
  .object({
    name,
    current: flag.describe('Whether it is the active profile.'),
    base_url: text.nullable(),
    method,
  })
  .meta({ id: 'Profile' })
export type ProfileJson = z.infer<typeof profile>

export const setting = z
  .object({
    name,
    value: text.nullable().describe('As typed; null when not set and without a default.'),
    type: text,
    default: text.nullable(),
    description: text,
    example: text,
    origin: text.describe('The path of the file with the value, or "default".'),
  })
  .meta({ id: 'Setting' })
export type SettingJson = z.infer<typeof setting>

export const path = z.object({ path: text })

export const check = z
  .object({
    check: z.string().describe('What was checked, such as "disk".'),
    state: z.enum(['ok', 'warning', 'error']),
    message: text.describe('The result as a sentence.'),
    hint: text.nullable().describe('The recommended action; null for none.'),
  })
  .meta({ id: 'Check' })
export type CheckJson = z.infer<typeof check>

const backupKeys = {
  file: text,
  bytes: count,
  created_at: time,
  entries: count,
  days: count.describe('The number of days with entries.'),
  first_day: day.nullable(),
  last_day: day.nullable(),
  expenses: count,
  pending: count.describe('The number of pending changes.'),
  settings: flag.describe('Whether it contains settings.'),
  aliases: flag.describe('Whether it contains aliases.'),
  profiles: z.array(z.object({ profile: name.nullable(), state: text, pending: count })),
}
export const backup = z.object(backupKeys).meta({ id: 'Backup' })
export type BackupJson = z.infer<typeof backup>

export const restored = z
  .object({
    ...backupKeys,
    saved_as: text.nullable().describe('The backup of the data that was replaced.'),
  })
  .meta({ id: 'Restored' })
export type RestoredJson = z.infer<typeof restored>

export const completionScript = z.object({ shell: text, script: text })
export const helpPage = z.object({ name: text, text })
export const listening = z.object({ url: text.describe('The value for TT_BASE_URL.') })
export type ListeningJson = z.infer<typeof listening>

export const alias = z
  .object({ name, expansion: text, shell: flag.describe('Whether a shell runs it.') })
  .meta({ id: 'Alias' })
export type AliasJson = z.infer<typeof alias>

const reminderKeys = {
  kind: z.enum(['entry_limit', 'sleep', 'untracked', 'below_target']),
  message: text.describe('The fact as a sentence.'),
}
export const checkedReminder = z
  .object({ ...reminderKeys, notified: flag.describe('Whether a desktop notification was shown.') })
  .meta({ id: 'CheckedReminder' })
export type CheckedReminderJson = z.infer<typeof checkedReminder>

export const reminderStatus = z
  .object({
    installed: flag,
    active: flag.nullable().describe('null if it is not known.'),
    next_run: time.nullable(),
    edited: flag.describe('Whether the user has edited a file.'),
    problem: text.nullable(),
    files: z.array(text),
    due: z.array(z.object(reminderKeys)).describe('What would be reported now.'),
  })
  .meta({ id: 'ReminderStatus' })
export type ReminderStatusJson = z.infer<typeof reminderStatus>

export const installedReminder = z.union([
  z.object({ files: z.array(text), active: flag }),
  z.object({ format: text, schedule: text }).describe('With --print, and where there is no systemd.'),
])
export const removedReminder = z.object({
  removed: z.array(text),
  edited: z.array(text).describe('Files that were edited. If there are any, none is removed.'),
})
