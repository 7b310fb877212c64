import { type CatalogTable, references } from '../admin/catalog/catalog-edit.js'
import type { Queries } from '../storage/queries.js'
import { type ColumnValues, identifier, insertInto, joinSql, rawSql, type Sql, sql } from '../storage/sql.js'
import type { StagedEntries } from './entry-imports.js'

/** The records that an import has created in addition to entries. */
export interface CreatedRecords {
  clients: { id: number; name: string }[]
  projects: { id: number; client_id: number | null; name: string }[]
  tasks: { id: number; name: string }[]
  links: { id: number; project_id: number; task_id: number }[]
}

const noRecords: CreatedRecords = { clients: [], projects: [], tasks: [], links: [] }

export interface LinkNames {
  client: string | null
  project: string
  task: string
}

/**
 * Finds or creates the task links of the combinations with new names, and stores the link of each combination in the
 * temporary table `import_link`. Returns the created records. Call it within the transaction of the import.
 */
export async function createLinks(
  queries: Queries,
  { entry, combination }: StagedEntries,
): Promise<CreatedRecords> {
  await queries.all(
    sql`create temp table import_link (combination integer primary key, link integer not null)`,
  )
  await queries.all(sql`
    insert into temp.import_link select id, json_extract(task_link, '$') from ${combination}
    where task_link is not null`)
  const combinations = await queries.all<LinkNames & { id: number }>(sql`
    select id, new_client as client, new_project as project, new_task as task from ${combination}
    where task_link is null and new_project is not null and new_task is not null
      and id in (select combination from ${entry} where action in ('create', 'update')) order by id`)
  const created = structuredClone(noRecords)
  for (const { id, ...names } of combinations) {
    const link = await findOrCreateLink(queries, names, created)
    await queries.all(sql`insert into temp.import_link (combination, link) values (${id}, ${link})`)
  }
  return created
}

/** Creates records again that were deleted, with the same IDs, unless another record has their name. */
export async function recreate(queries: Queries, created: CreatedRecords): Promise<void> {
  const field = (name: string) => rawSql(`json_extract(value, '$.${name}')`)
  const [id, name] = [field('id'), field('name')]
  const [client, project, task] = [field('client_id'), field('project_id'), field('task_id')]
  const insert = (columns: Sql, values: Sql, rows: readonly object[], condition = sql`true`) =>
    queries.all(sql`
      insert into ${columns} select ${values} from json_each(${JSON.stringify(rows)})
      where ${condition} on conflict do nothing`)
  await insert(sql`clients (id, name)`, sql`${id}, ${name}`, created.clients)
  await insert(
    sql`projects (id, client_id, name, active)`,
    sql`${id}, ${client}, ${name}, 1`,
    created.projects,
    sql`(${client} is null or ${client} in (select id from clients))`,
  )
  await insert(sql`tasks (id, name)`, sql`${id}, ${name}`, created.tasks)
  await insert(
    sql`task_links (id, project_id, task_id, active)`,
    sql`${id}, ${project}, ${task}, 1`,
    created.links,
    sql`${project} in (select id from projects) and ${task} in (select id from tasks)`,
  )
}

/**
 * Finds or creates task links with the names of those that could not be created again, and adds the new ones to `created`.
 * Returns the IDs that replace others.
 */
export async function replaceMissingLinks(
  queries: Queries,
  created: CreatedRecords,
): Promise<{ from: number; to: number }[]> {
  const replaced: { from: number; to: number }[] = []
  for (const { id, project_id: projectId, task_id: taskId } of [...created.links]) {
    const [found] = await queries.all(sql`select id from task_links where id = ${id}`)
    if (found) continue
    const named = async (table: 'clients' | 'projects' | 'tasks', of: number | null) => {
      const [row] = await queries.all<{ name: string; client_id?: number | null }>(
        sql`select * from ${identifier(table)} where id = ${of}`,
      )
      return created[table].find((record) => record.id === of) ?? row
    }
    const [project, task] = [await named('projects', projectId), await named('tasks', taskId)]
    if (!project || !task) continue
    const client = await named('clients', ('client_id' in project && project.client_id) || null)
    const names = { client: client?.name ?? null, project: project.name, task: task.name }
    replaced.push({ from: id, to: await findOrCreateLink(queries, names, created) })
  }
  return replaced
}

/**
 * Deletes the created records that nothing uses. Call it with foreign keys off: the database would read all entries for
 * each deleted link.
 */
export async function deleteUnused(queries: Queries, created: CreatedRecords): Promise<void> {
  const remove = async (table: CatalogTable, rows: readonly { id: number }[]) => {
    const used = references[table].map(([user, column]) => {
      const name = identifier(column)
      return sql`and id not in (select ${name} from ${identifier(user)} where ${name} is not null)`
    })
    const ids = JSON.stringify(rows.map(({ id }) => id))
    await queries.all(sql`
      delete from ${identifier(table)}
      where id in (select value from json_each(${ids})) ${joinSql(used, ' ')}`)
  }
  await remove('task_links', created.links)
  await remove('projects', created.projects)
  await remove('tasks', created.tasks)
  await remove('clients', created.clients)
}

/** Returns the project with exactly these names: without a client, the project that has none. */
export async function findProjectId(
  queries: Queries,
  { client, project }: Pick<LinkNames, 'client' | 'project'>,
): Promise<{ id: number; active: number } | undefined> {
  const [found] = await queries.all<{ id: number; active: number }>(sql`
    select projects.id, projects.active from main.projects left join main.clients on clients.id = client_id
    where projects.name = ${project} and clients.name is ${client}`)
  return found
}

async function findOrCreateLink(
  queries: Queries,
  names: LinkNames,
  created: CreatedRecords,
): Promise<number> {
  const [client, project, task] = [names.client?.trim() ?? null, names.project.trim(), names.task.trim()]
  const insert = async (table: string, values: ColumnValues) => {
    const [added] = await queries.all<{ id: number }>(sql`${insertInto(table, values)} returning id`)
    return added?.id ?? 0
  }
  const named = async (table: 'clients' | 'tasks', name: string): Promise<number> => {
    const [found] = await queries.all<{ id: number }>(
      sql`select id from main.${identifier(table)} where name = ${name}`,
    )
    if (found) return found.id
    const id = await insert(table, { name })
    created[table].push({ id, name })
    return id
  }
  const findOrCreateProject = async (): Promise<number> => {
    const found = await findProjectId(queries, { client, project })
    if (found) return found.id
    const clientId = client === null ? null : await named('clients', client)
    const id = await insert('projects', { client_id: clientId, name: project, active: 1 })
    created.projects.push({ id, client_id: clientId, name: project })
    return id
  }
  const pair = { project_id: await findOrCreateProject(), task_id: await named('tasks', task) }
  const [link] = await queries.all<{ id: number }>(sql`
    select id from main.task_links where project_id = ${pair.project_id} and task_id = ${pair.task_id}`)
  if (link) return link.id
  const id = await insert('task_links', { ...pair, active: 1 })
  created.links.push({ id, ...pair })
  return id
}
