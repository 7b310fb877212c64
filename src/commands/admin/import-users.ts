import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { scopes } from '../../api-client/types.js'
import type { Context } from '../../cli/context.js'
import { resolvePath } from '../../cli/file-paths.js'
import type { Input, Options } from '../../cli/input.js'
import type { RecordedChange } from '../../cli/recorded-change.js'
import { readUserRows, type UserRow, type UserRows } from '../../import-export/import/csv/user-rows.js'
import type { Encoding } from '../../import-export/import/source/encodings.js'
import { TtError } from '../../lib/errors.js'
import { writePrivateFile } from '../../lib/private-file.js'
import { countText } from '../../lib/text/words.js'
import type { commands } from '../../program/declarations/admin.js'
import type { ImportedUserJson } from '../../records/shapes/admin.js'
import type { ImportedUser, InvalidLine, PlannedUser } from '../../service/accounts/import-users.js'
import { csvField } from '../../ui/formats/csv.js'
import type { View } from '../../ui/view.js'
import { openFile } from '../import/read-files.js'

type Commands = typeof commands.admin.commands

/** A user of the file. Secrets are only in it where the options ask for them. */
type ImportResult = ImportedUserJson

const secretColumns = { password: 'Password', token: 'Token' } as const

export function view(_ctx: Context, value: unknown): View<ImportResult> {
  const rows = Array.isArray(value) ? (value as ImportResult[]) : []
  const secrets = (['password', 'token'] as const).filter((key) => rows.some((row) => row[key] !== undefined))
  return {
    columns: [
      { key: 'line', title: 'Line', align: 'right' },
      { key: 'email', title: 'Email' },
      { key: 'name', title: 'Name', canShrink: true },
      { key: 'status', title: 'Status' },
      { key: 'projects', title: 'Projects', text: ({ projects }) => projects.join('; '), canShrink: true },
      ...secrets.map((key) => ({
        key,
        title: secretColumns[key],
        text: (row: ImportResult) => row[key] ?? '',
      })),
    ],
    json: (row) => ({ ...row }),
    empty: 'The file has no users.',
  }
}

export async function run(
  ctx: Context,
  { args: { file }, options }: Input<Commands['import-users']>,
  recorded: RecordedChange,
): Promise<ImportResult[]> {
  const targets = targetsOf(ctx, options)
  const { name, rows, ignored } = await readFile(ctx, file, options.encoding)
  if (ignored.length > 0) ctx.terminal.warn(`${name}: Ignored columns: ${ignored.join(', ')}.`)
  const module = await import('../../service/accounts/import-users.js')
  const storage = await ctx.storage(options.database)
  const users = toUsers(rows)
  const check = async (on: typeof storage) => {
    const { plan, invalid } = await module.planImport(on, users.valid)
    const problems = [...users.invalid, ...invalid].sort((one, other) => one.line - other.line)
    if (problems.length > 0) throw invalidError(name, problems)
    return plan
  }
  const preview = await check(storage)
  if (options.dryRun) {
    report(ctx, preview, true)
    return preview.map((planned) => toResult(planned))
  }
  const passwords = await choosePasswords(ctx, preview, targets.password !== undefined)
  const save = new SecretFiles(targets)
  let written: { plan: PlannedUser[]; rows: ImportResult[] } | undefined
  const results = await recorded(
    storage,
    async (storage) => {
      const plan = await check(storage)
      const tokens = await module.applyImport(storage, plan, {
        passwordHashes: new Map([...passwords].map(([email, { hash }]) => [email, hash])),
        tokenScopes: targets.token === undefined ? undefined : scopes,
        clock: ctx.host.now,
      })
      const rows = plan.map((planned) => ({
        ...toResult(planned),
        ...secret(
          'password',
          planned.status === 'added' ? passwords.get(planned.email)?.generated : undefined,
        ),
        ...secret('token', tokens.get(planned.email)),
      }))
      // Before the commit: users whose passwords cannot be saved are not added.
      save.write(rows)
      written = { plan, rows }
      return written
    },
    ({ plan }) => plan.some(({ status }) => status !== 'unchanged'),
  ).catch(async (error: unknown) => {
    const outcome = written ? await readOutcome(written.plan, () => check(storage)) : 'rejected'
    if (written && outcome === 'stored') return written
    if (outcome === 'rejected') save.remove()
    else ctx.terminal.warn(save.unknownOutcomeText())
    throw error
  })
  report(ctx, results.plan, false)
  return results.rows.map(({ password, token, ...row }) => ({
    ...row,
    ...(targets.password === '-' ? secret('password', password) : {}),
    ...(targets.token === '-' ? secret('token', token) : {}),
  }))
}

/**
 * Reads after an error whether the users were added: the response to a commit can be lost. `unknown` if the database cannot
 * be read either.
 */
async function readOutcome(
  plan: readonly PlannedUser[],
  planAgain: () => Promise<readonly PlannedUser[]>,
): Promise<'stored' | 'rejected' | 'unknown'> {
  const again = await planAgain().catch(() => undefined)
  if (!again) return 'unknown'
  const hasChanges = (planned: readonly PlannedUser[]) => planned.some(({ status }) => status !== 'unchanged')
  return hasChanges(plan) && !hasChanges(again) ? 'stored' : 'rejected'
}

const secret = <Key extends 'password' | 'token'>(key: Key, text: string | undefined) =>
  text === undefined ? {} : ({ [key]: text } as Record<Key, string>)

/**
 * Returns the files for secrets, `-` for the output. Throws TtError `usage` for a file that exists, and for a missing
 * directory: passwords are hashed first, which takes minutes for many users.
 */
function targetsOf(ctx: Context, { passwords, tokens }: Options<Commands['import-users']>) {
  const target = (option: string, file: string | undefined) => {
    if (file === undefined || file === '-') return file
    const path = resolvePath(ctx.host, file)
    requireNew(option, path)
    requireDirectory(option, dirname(path))
    return path
  }
  const targets = { password: target('--passwords', passwords), token: target('--tokens', tokens) }
  if (targets.password === undefined || targets.password === '-' || targets.password !== targets.token)
    return targets
  throw new TtError('usage', '--passwords and --tokens name the same file.', { hint: 'Name two files.' })
}

function requireNew(option: string, path: string) {
  if (!existsSync(path)) return
  throw new TtError('usage', `${option}: ${path} exists.`, {
    hint: 'Name a new file: secrets replace no other file.',
  })
}

function requireDirectory(option: string, path: string) {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  throw new TtError('usage', `${option}: ${path} is not a directory.`, {
    hint: 'Create it, or name a file in another directory.',
  })
}

async function readFile(ctx: Context, file: string, encoding: Encoding | undefined) {
  const source = await openFile(ctx, file, encoding)
  try {
    const { name } = source
    return { name, ...(await readUserRows(source)) } satisfies UserRows & { name: string }
  } finally {
    await source.close()
  }
}

function toUsers(rows: readonly UserRow[]): { valid: ImportedUser[]; invalid: InvalidLine[] } {
  const valid: ImportedUser[] = []
  const invalid: InvalidLine[] = []
  for (const { line, email, name, projects, from, until, password, hasExtraFields } of rows) {
    if (hasExtraFields) invalid.push({ line, reason: 'The line has more fields than the header.' })
    if (email === undefined) invalid.push({ line, reason: 'The email address is missing.' })
    else {
      const displayName = name ?? email.replace(/@.*/, '')
      valid.push({ line, email, name: displayName, projects, startsOn: from, endsOn: until, password })
    }
    if (projects.length === 0 && (from ?? until) !== undefined)
      invalid.push({ line, reason: 'From and Until need a project.' })
  }
  return { valid, invalid }
}

/** Returns the passwords of the new users: those of the file, or generated ones. */
async function choosePasswords(ctx: Context, plan: readonly PlannedUser[], shouldGenerate: boolean) {
  const passwords = new Map<string, { hash: string; generated: string | undefined }>()
  const { hashPassword } = await import('../../service/accounts/passwords.js')
  const { generatePassword } = await import('../../service/accounts/passwords.js')
  const progress = ctx.terminal.withProgress(() => `Hashing passwords … ${passwords.size}`)
  try {
    for (const { email, status, password } of plan) {
      if (status !== 'added') continue
      const generated = password === undefined && shouldGenerate ? generatePassword() : undefined
      const chosen = password ?? generated
      if (chosen !== undefined) passwords.set(email, { hash: await hashPassword(chosen), generated })
      progress.tick()
    }
  } finally {
    progress.end()
  }
  return passwords
}

/** Files with the email addresses and secrets of new users, for their owner only. */
class SecretFiles {
  readonly #written: string[] = []

  constructor(private readonly targets: Record<'password' | 'token', string | undefined>) {}

  /** Writes the files; those of a transaction that is repeated are replaced. */
  write(rows: readonly ImportResult[]) {
    this.remove()
    for (const key of ['password', 'token'] as const) {
      const path = this.targets[key]
      const lines = rows.flatMap((row) =>
        row[key] === undefined ? [] : [`${csvField(row.email)},${row[key]}`],
      )
      if (path === undefined || path === '-' || lines.length === 0) continue
      // Hashing takes minutes for many users, and two names can mean one file.
      requireNew(`--${key}s`, path)
      writePrivateFile(path, `${[`email,${key}`, ...lines].join('\n')}\n`)
      this.#written.push(path)
    }
  }

  /** Returns a warning about the files, which remain because their users may have been added. */
  unknownOutcomeText(): string {
    const files =
      this.#written.length > 0 ? ` ${this.#written.join(' and ')} may have their passwords and tokens.` : ''
    return `It is unknown whether the users were added: see \`tt admin user list\`.${files}`
  }

  /** Removes what was written: the import has failed. */
  remove() {
    for (const path of this.#written.splice(0)) rmSync(path, { force: true })
  }
}

function toResult({ line, email, name, status, assigned }: PlannedUser): ImportResult {
  return { line, email, name, status, projects: assigned.map(({ path }) => path) }
}

function report({ terminal }: Context, plan: readonly PlannedUser[], isDryRun: boolean) {
  const countOf = (status: PlannedUser['status']) => plan.filter((user) => user.status === status).length
  const assignments = plan.reduce((sum, { assigned }) => sum + assigned.length, 0)
  const added = `${countText(countOf('added'), 'user')} and ${countText(assignments, 'assignment')}`
  const known = countText(countOf('assigned') + countOf('unchanged'), 'user')
  terminal.message(`${isDryRun ? 'Would add' : 'Added'} ${added}. ${known} existed already.`)
}

function invalidError(file: string, invalid: readonly InvalidLine[]): TtError {
  const lines = invalid.map(({ line, reason }) => `${file}:${line}: ${reason}`)
  const count = new Set(invalid.map(({ line }) => line)).size
  const summary = `${countText(count, 'line')} cannot be imported. Nothing was changed.`
  return new TtError('usage', [...lines, summary].join('\n'), {
    hint: 'Correct the file, and repeat the command.',
  })
}
