import type { Sqlite } from '../../lib/sqlite/connection.js'

/** The records that an import has created in addition to entries. */
export interface CreatedRecords {
  clients: { id: number; name: string }[]
  projects: { id: number; client_id: number | null; name: string }[]
  tasks: { id: number; name: string }[]
  links: { id: number; project_id: number; task_id: number }[]
}

export const noRecords: CreatedRecords = { clients: [], projects: [], tasks: [], links: [] }

interface LinkNames {
  client: string | null
  project: string
  task: string
}

/**
 * Finds or creates the task links of the combinations with new names, and stores the link of each combination in the
 * temporary table `import_link`. Returns the created records. Call it within the transaction of the import.
 */
export function createLinks(database: Sqlite): CreatedRecords {
  database.exec(
    `CREATE TEMP TABLE import_link (combination INTEGER PRIMARY KEY, link INTEGER NOT NULL);
     INSERT INTO temp.import_link SELECT id, json_extract(task_link, '$') FROM staging.combination
       WHERE task_link IS NOT NULL`,
  )
  const combinations = database
    .prepare(
      `SELECT id, new_client AS client, new_project AS project, new_task AS task FROM staging.combination
       WHERE task_link IS NULL AND new_project IS NOT NULL AND new_task IS NOT NULL
         AND id IN (SELECT combination FROM staging.entry WHERE action IN ('create', 'update')) ORDER BY id`,
    )
    .all() as (LinkNames & { id: number })[]
  const created = structuredClone(noRecords)
  const insert = database.prepare('INSERT INTO temp.import_link (combination, link) VALUES (?, ?)')
  for (const { id, ...names } of combinations) insert.run([id, findOrCreateLink(database, names, created)])
  return created
}

/** Creates records again that were deleted, with the same IDs, unless another record has their name. */
export function recreate(database: Sqlite, created: CreatedRecords): void {
  const insert = (sql: string, rows: readonly object[]) => {
    if (rows.length > 0) database.prepare(sql).run([JSON.stringify(rows)])
  }
  const column = (name: string) => `json_extract(value, '$.${name}')`
  insert(
    `INSERT INTO clients (id, name) SELECT ${column('id')}, ${column('name')} FROM json_each(?)
     WHERE true ON CONFLICT DO NOTHING`,
    created.clients,
  )
  insert(
    `INSERT INTO projects (id, client_id, name, active)
     SELECT ${column('id')}, ${column('client_id')}, ${column('name')}, 1 FROM json_each(?)
     WHERE ${column('client_id')} IS NULL OR ${column('client_id')} IN (SELECT id FROM clients)
     ON CONFLICT DO NOTHING`,
    created.projects,
  )
  insert(
    `INSERT INTO tasks (id, name) SELECT ${column('id')}, ${column('name')} FROM json_each(?)
     WHERE true ON CONFLICT DO NOTHING`,
    created.tasks,
  )
  insert(
    `INSERT INTO task_links (id, project_id, task_id, active)
     SELECT ${column('id')}, ${column('project_id')}, ${column('task_id')}, 1 FROM json_each(?)
     WHERE ${column('project_id')} IN (SELECT id FROM projects) AND ${column('task_id')} IN (SELECT id FROM tasks)
     ON CONFLICT DO NOTHING`,
    created.links,
  )
}

/**
 * Deletes the created records that nothing uses. Call it with foreign keys off: the database would read all entries for
 * each deleted link.
 */
export function deleteUnused(database: Sqlite, created: CreatedRecords): void {
  const remove = (table: string, rows: readonly { id: number }[], uses: string[]) => {
    if (rows.length === 0) return
    const conditions = uses.map((used) => `AND id NOT IN (${used})`).join(' ')
    database
      .prepare(`DELETE FROM ${table} WHERE id IN (SELECT value FROM json_each(?)) ${conditions}`)
      .run([JSON.stringify(rows.map(({ id }) => id))])
  }
  remove('task_links', created.links, ['SELECT task_link_id FROM time_entries'])
  remove('projects', created.projects, [
    'SELECT project_id FROM task_links',
    'SELECT project_id FROM assignments',
    'SELECT project_id FROM expenses WHERE project_id IS NOT NULL',
  ])
  remove('tasks', created.tasks, ['SELECT task_id FROM task_links'])
  remove('clients', created.clients, ['SELECT client_id FROM projects WHERE client_id IS NOT NULL'])
}

/** Returns the project with exactly these names: without a client, the project that has none. */
export function findProjectId(
  database: Sqlite,
  { client, project }: Pick<LinkNames, 'client' | 'project'>,
): { id: number; active: number } | undefined {
  return database
    .prepare(
      `SELECT projects.id, projects.active FROM main.projects LEFT JOIN main.clients ON clients.id = client_id
       WHERE projects.name = ? AND clients.name IS ?`,
    )
    .get([project, client]) as { id: number; active: number } | undefined
}

function findOrCreateLink(database: Sqlite, names: LinkNames, created: CreatedRecords): number {
  const [client, project, task] = [names.client?.trim() ?? null, names.project.trim(), names.task.trim()]
  const insert = (sql: string, values: unknown[]) =>
    (database.prepare(`${sql} RETURNING id`).get(values) as { id: number }).id
  const findByName = (table: string, name: string) =>
    (
      database.prepare(`SELECT id FROM main.${table} WHERE name = ?`).get([name]) as
        | { id: number }
        | undefined
    )?.id
  const named = (table: 'clients' | 'tasks', name: string): number => {
    const found = findByName(table, name)
    if (found !== undefined) return found
    const id = insert(`INSERT INTO main.${table} (name) VALUES (?)`, [name])
    created[table].push({ id, name })
    return id
  }
  const findOrCreateProject = (): number => {
    const found = findProjectId(database, { client, project })
    if (found) return found.id
    const clientId = client === null ? null : named('clients', client)
    const id = insert('INSERT INTO main.projects (client_id, name, active) VALUES (?, ?, 1)', [
      clientId,
      project,
    ])
    created.projects.push({ id, client_id: clientId, name: project })
    return id
  }
  const pair = { project_id: findOrCreateProject(), task_id: named('tasks', task) }
  const values = [pair.project_id, pair.task_id]
  const link = database
    .prepare('SELECT id FROM main.task_links WHERE project_id = ? AND task_id = ?')
    .get(values) as { id: number } | undefined
  if (link) return link.id
  const id = insert('INSERT INTO main.task_links (project_id, task_id, active) VALUES (?, ?, 1)', values)
  created.links.push({ id, ...pair })
  return id
}
