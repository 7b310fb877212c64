import type { Scope } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { findProject } from '../admin/catalog/find-records.js'
import { addUser, issueToken, normalizeEmail, validateEmail } from '../admin/users.js'
import { validateName } from '../admin/validate-name.js'
import { isDay } from '../resources/values.js'
import type { Queries } from '../storage/queries.js'
import { insertInto, sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'
import { DatabaseUnavailableError } from '../storage/unavailable.js'
import { checkPassword } from './passwords.js'

/** A user to import. */
export interface ImportedUser {
  /** The line in the source, from 1. */
  line: number
  email: string
  name: string
  /** The paths of projects to assign, and the days of these assignments (YYYY-MM-DD). */
  projects: readonly string[]
  startsOn: string | undefined
  endsOn: string | undefined
  password: string | undefined
}

/** A line that cannot be imported, and why: a sentence. */
export interface InvalidLine {
  line: number
  reason: string
}

/** What the import of a user does. */
export interface PlannedUser extends ImportedUser {
  /** `assigned`: the user exists and gets further projects. */
  status: 'added' | 'assigned' | 'unchanged'
  /** Of an existing user. */
  id: number | undefined
  /** The projects to which the user is not assigned yet. */
  assigned: { id: number; path: string }[]
}

/**
 * Compares the users with the database, and returns what their import does. Existing users keep their names and
 * passwords; they get the projects to which they have never been assigned, so that a repeated import changes nothing.
 */
export async function planImport(
  { queries }: Pick<Storage, 'queries'>,
  users: readonly ImportedUser[],
): Promise<{ plan: PlannedUser[]; invalid: InvalidLine[] }> {
  const known = await knownUsers(queries)
  const findPath = projectFinder(queries)
  const lines = new Map<string, number>()
  const plan: PlannedUser[] = []
  const invalid: InvalidLine[] = []
  for (const user of users) {
    const { line } = user
    const address = normalizeEmail(user.email)
    const firstLine = lines.get(address)
    if (firstLine !== undefined) invalid.push({ line, reason: `${address} is also on line ${firstLine}.` })
    else lines.set(address, line)
    const existing = known.get(address)
    for (const reason of await problemsOf(user, existing !== undefined)) invalid.push({ line, reason })
    const assigned = new Map<number, string>()
    for (const typed of user.projects) {
      const found = await findPath(typed)
      if (typeof found === 'string') invalid.push({ line, reason: found })
      else if (!existing?.projects.has(found.id)) assigned.set(found.id, found.path)
    }
    const status = existing === undefined ? 'added' : assigned.size > 0 ? 'assigned' : 'unchanged'
    const projects = [...assigned].map(([id, path]) => ({ id, path }))
    plan.push({ ...user, email: address, status, id: existing?.id, assigned: projects })
  }
  return { plan, invalid }
}

/** Access that an imported user gets. */
export interface NewAccess {
  /** The hash of the password, by email address. */
  passwordHashes: ReadonlyMap<string, string>
  /** The scopes of a token for each new user; undefined for none. */
  tokenScopes: readonly Scope[] | undefined
}

/** Imports users as planned in the same transaction. Returns the tokens of new users by email address. */
export async function applyImport(
  storage: Storage,
  plan: readonly PlannedUser[],
  { passwordHashes, tokenScopes, clock }: NewAccess & { clock: () => Date },
): Promise<Map<string, string>> {
  const tokens = new Map<string, string>()
  const { queries } = storage
  for (const { email, name, status, assigned, startsOn = null, endsOn = null, id: existing } of plan) {
    const userId = existing ?? (await addUser(storage, { email, name, clock })).id
    const password = passwordHashes.get(email)
    if (status === 'added' && password !== undefined)
      await queries.all(sql`update users set password = ${password} where id = ${userId}`)
    if (status === 'added' && tokenScopes)
      tokens.set(email, await issueToken(storage, email, { scopes: tokenScopes, name: 'tt admin', clock }))
    for (const { id: project_id } of assigned)
      await queries.all(
        insertInto('assignments', { user_id: userId, project_id, starts_on: startsOn, ends_on: endsOn }),
      )
  }
  return tokens
}

interface KnownUser {
  id: number
  /** The IDs of the projects to which the user is or was assigned. */
  projects: Set<number>
}

async function knownUsers(queries: Queries): Promise<Map<string, KnownUser>> {
  const users = await queries.all<{ id: number; email: string }>(sql`select id, email from users`)
  const byId = new Map(users.map(({ id }) => [id, { id, projects: new Set<number>() }]))
  const assignments = await queries.all<{ user_id: number; project_id: number }>(
    sql`select user_id, project_id from assignments`,
  )
  for (const { user_id, project_id } of assignments) byId.get(user_id)?.projects.add(project_id)
  return new Map(users.flatMap(({ id, email }) => [[email, byId.get(id) ?? { id, projects: new Set() }]]))
}

/** Returns the project at a path, or the reason why there is none. A path is searched once. */
function projectFinder(queries: Queries) {
  const found = new Map<string, Promise<{ id: number; path: string } | string>>()
  return (typed: string) => {
    const known = found.get(typed) ?? findProject(queries, typed).catch(reasonOf)
    found.set(typed, known)
    return known
  }
}

async function problemsOf(
  { email, name, startsOn, endsOn, password }: ImportedUser,
  exists: boolean,
): Promise<string[]> {
  const problems: string[] = []
  const check = async (validate: () => unknown) => {
    try {
      await validate()
    } catch (error) {
      problems.push(reasonOf(error))
    }
  }
  await check(() => validateEmail(email))
  await check(() => validateName('user', name))
  for (const day of [startsOn, endsOn])
    if (day !== undefined && !isDay(day)) problems.push(`"${day}" is not a date (YYYY-MM-DD).`)
  if (startsOn !== undefined && endsOn !== undefined && endsOn < startsOn)
    problems.push(`The assignments would end (${endsOn}) before they start (${startsOn}).`)
  if (password !== undefined && !exists) await check(() => checkPassword(password, email))
  return problems
}

function reasonOf(error: unknown): string {
  if (error instanceof TtError && !(error instanceof DatabaseUnavailableError)) return error.message
  throw error
}
