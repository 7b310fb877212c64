import type { Predicates } from '../../../api-client/filter/query.js'
import type { Context } from '../../../cli/context.js'
import type { Options } from '../../../cli/input.js'
import type { TimeRange } from '../../../lib/calendar/interval.js'
import { once } from '../../../lib/once.js'
import { fold } from '../../../lib/text/nearest-names.js'
import type { CatalogLists } from '../../../outbox/cache/snapshots.js'
import type { commands } from '../../../program/declarations/admin.js'
import type { EntryRow } from '../../../service/admin/all-entries.js'
import type { User } from '../../../service/admin/users.js'
import type { Storage } from '../../../service/storage/storage.js'
import { byId, joinLinks, type Link } from '../../../tracking/catalog/links.js'
import { type Entry, fromTimes, overlapsRange, toEntry } from '../../../tracking/entries/entry.js'
import { separateExcluded } from '../../../tracking/entries/excluded-values.js'
import { rejectUnknownNames, unknownName } from '../../shared/unknown-names.js'
import type { ReportContext } from '../report-query.js'

type TeamOptions = Options<typeof commands.admin.commands.report>

/**
 * Returns the context of a report about the users of a database: about all, or those whose email address, name or ID
 * matches `--user` (`!` excludes). Warns about a value that matches no user; throws TtError `usage` if a file is written.
 */
export async function teamContext(
  ctx: Context,
  storage: Storage,
  options: TeamOptions,
): Promise<ReportContext> {
  const { companyOf, listUsers } = await import('../../../service/admin/administration.js')
  const typed = options.user ?? []
  const users = selectUsers(ctx, await listUsers(storage), options)
  const catalog = once(() => readCatalog(storage))
  const links = once(async () => joinLinks(await catalog()))
  const read = (timesSuffice: boolean) =>
    async function* (range: TimeRange, predicates: Predicates): AsyncGenerator<Entry[]> {
      const request = { users, links: await links(), range, predicates, timesSuffice, now: ctx.now }
      yield* readTeamEntries(storage, request)
    }
  const company = () => companyOf(storage)
  const fetchers = { catalog, company }
  return {
    ...{ host: ctx.host, terminal: ctx.terminal, afterOutput: ctx.afterOutput },
    ...{ config: ctx.config, now: ctx.now, nameOption: ctx.nameOption },
    get durations() {
      return ctx.durations
    },
    team: { selection: typed.map((value) => userText(value)) },
    catalog: async () => ({ links }),
    reference: async () => ({ recent: (kind) => fetchers[kind]() as never }),
    entries: async () => ({
      batches: read(false),
      batchesOfTimes: read(true),
      // Only targets depend on earlier entries, and those of a team are unknown.
      hasEntryBefore: async () => true,
    }),
  }
}

const userText = (value: string) =>
  value.startsWith('!') ? `without user ${value.slice(1)}` : `user ${value}`

function selectUsers(ctx: Context, users: readonly User[], options: TeamOptions): User[] {
  const { included, excluded } = separateExcluded(options.user ?? [])
  const names = users.flatMap(({ email, name }) => [email, name])
  const unknown = included
    .filter((value) => !users.some((user) => matches(user, value)))
    .map((value) => unknownName(value, 'user', names))
  rejectUnknownNames(ctx, options, unknown)
  return users.filter(
    (user) =>
      (included.length === 0 || included.some((value) => matches(user, value))) &&
      !excluded.some((value) => matches(user, value)),
  )
}

function matches({ id, email, name }: User, typed: string): boolean {
  return String(id) === typed || [email, name].some((text) => fold(text).includes(fold(typed)))
}

async function readCatalog(storage: Storage): Promise<CatalogLists> {
  const { listClients, listLinks, listProjects, listTasks } = await import(
    '../../../service/admin/administration.js'
  )
  return {
    links: await listLinks(storage),
    projects: await listProjects(storage),
    clients: await listClients(storage),
    tasks: await listTasks(storage),
  }
}

interface TeamEntriesRequest {
  users: readonly User[]
  links: readonly Link[]
  range: TimeRange
  predicates: Predicates
  timesSuffice: boolean
  now: Date
}

/** Yields the entries of the users that overlap the range, in any order. */
async function* readTeamEntries(
  storage: Storage,
  { users, links, range, predicates, timesSuffice, now }: TeamEntriesRequest,
): AsyncGenerator<Entry[]> {
  const { entryRecord, readEntries } = await import('../../../service/admin/all-entries.js')
  const [userById, linkById] = [byId(users), byId(links)]
  const query = {
    ...{ start: range.start?.getTime(), end: range.end?.getTime(), q: JSON.stringify(predicates) },
    ...{ userIds: users.map(({ id }) => id), timesSuffice },
  }
  const toTeamEntry = (row: EntryRow): Entry => {
    const user = userById.get(String(row.user_id))
    const link = linkById.get(String(row.task_link_id))
    const entry = timesSuffice
      ? fromTimes(row, link)
      : toEntry({ record: entryRecord(row), pending: false }, link)
    if (user) entry.user = user
    return entry
  }
  for await (const rows of readEntries(storage, query))
    yield rows.map(toTeamEntry).filter((entry) => overlapsRange(entry, range, now))
}
