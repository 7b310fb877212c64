import { beforeEach, describe, expect, it } from 'vitest'
import { scopes } from '../../../../src/api-client/types.js'
import { listIssuedTokens } from '../../../../src/service/accounts/issued-tokens.js'
import { setPassword } from '../../../../src/service/accounts/passwords.js'
import {
  type RecordsAction,
  recordsOfUser,
  removeUser,
} from '../../../../src/service/accounts/remove-user.js'
import * as administration from '../../../../src/service/admin/administration.js'
import { findLinkedUser } from '../../../../src/service/oauth/identity-provider/provider-sign-in.js'
import { ownerEmail } from '../../../../src/service/storage/schema.js'
import { identifier, insertInto, sql } from '../../../../src/service/storage/sql.js'
import { databases, now as start, useDatabase } from '../fixtures.js'
import { password, passwordCost, useOAuthTestService } from '../oauth/test-service.js'

const ada = 'ada@example.com'
const identity = { issuer: 'https://login.example.com', subject: '1', email: ada, emailVerified: true }
const minuteMs = 60_000

describe.each(databases)('the removal of a user over %s', (_, open) => {
  const database = useDatabase(open)
  const service = useOAuthTestService(database)
  let adaId: number
  beforeEach(async () => {
    adaId = (await administration.getUser(service.storage, ada)).id
  })

  const remove = (action?: RecordsAction, email = ada) =>
    removeUser(service.storage, { email, action, clock: service.now })
  const rowsOf = (table: 'time_entries' | 'expenses') =>
    service.storage.queries.all<{ version: number }>(sql`select * from ${identifier(table)} order by id`)
  const usersOf = () => service.storage.queries.all(sql`select * from users order by id`)
  const countOf = async (table: string) => {
    const rows = await service.storage.queries.all(sql`select * from ${identifier(table)}`)
    return rows.length
  }

  const signInAtProvider = () => findLinkedUser(service.storage, identity, { address: '127.0.0.1', now: 0 })

  /**
   * Adds an entry of 90 minutes, a running one since 30 minutes, and an expense. Each entry has a part of a second more,
   * which does not count, as in reports.
   */
  async function addRecords() {
    const { id: link } = await administration.addLink(service.storage, { project: 'Website', task: 'Design' })
    const at = start.getTime()
    const record = { user_id: adaId, notes: 'Logo', created_at: at, updated_at: at, external_id: null }
    const entry = { ...record, task_link_id: Number(link) }
    await service.storage.queries.all(
      insertInto(
        'time_entries',
        {
          ...entry,
          time_start: at - 300 * minuteMs,
          time_end: at - 210 * minuteMs + 600,
          external_id: 'a-1',
        },
        { ...entry, time_start: at - 30 * minuteMs - 600, time_end: null },
      ),
    )
    const amount = { amount: '12.5', amount_units: 125_000, currency: 'EUR', spent_on: '2024-05-01' }
    const expense = { ...record, ...amount, expense_type_id: null, project_id: null }
    await service.storage.queries.all(insertInto('expenses', expense))
  }

  /** Gives Ada a browser session, an application, a token, an assignment and an account at a provider. */
  async function addAccess(): Promise<string[]> {
    const tokens = await service.exchangeCode(await service.authorizationCode())
    const token = await administration.issueToken(service.storage, ada, {
      ...{ scopes, name: 'tt admin', clock: service.now },
    })
    await administration.addProject(service.storage, 'Internal')
    await administration.assign(service.storage, { email: ada, project: 'Internal' })
    expect(await signInAtProvider()).toEqual({ userId: adaId })
    return [token, tokens.access_token]
  }

  const accessTables = ['tokens', 'refresh_tokens', 'grants', 'sessions', 'identities', 'assignments']
  const countAccess = async () => Promise.all(accessTables.map(countOf))

  it('is rejected for a user with time until the administrator decides about it', async () => {
    await addRecords()
    expect(await recordsOfUser(service.storage, ada, start)).toMatchObject({
      ...{ id: adaId, records: { entries: 2, seconds: 7200, expenses: 1 } },
    })
    await expect(remove()).rejects.toMatchObject({
      ...{ code: 'usage', message: 'ada@example.com has 2 entries and 1 expense. Nothing was removed.' },
      nextStep: { action: 'choose_user_records' },
    })
    expect(await rowsOf('time_entries')).toHaveLength(2)
  })

  it('deletes a user without records and all access', async () => {
    const tokens = await addAccess()
    expect(await remove()).toMatchObject({ records: { entries: 0, expenses: 0 } })
    expect(await usersOf()).toEqual([])
    expect(await countAccess()).toEqual([0, 0, 0, 0, 0, 0])
    for (const token of tokens) expect(await service.apiStatus(token)).toBe(401)
  })

  it('keeps only the time under another name, and gives nothing to a later user with the same accounts', async () => {
    const tokens = await addAccess()
    await addRecords()
    const before = await rowsOf('time_entries')
    const log = await countOf('audit_log')
    expect(await remove('keep')).toMatchObject({ email: ada, records: { entries: 2, seconds: 7200 } })
    expect(await usersOf()).toEqual([
      {
        ...{ id: adaId, email: `removed-user-${adaId}`, name: `Removed user ${adaId}` },
        ...{ active: 0, password: null, created_at: expect.any(Number) },
      },
    ])
    expect(await countAccess()).toEqual([0, 0, 0, 0, 0, 0])
    for (const token of tokens) expect(await service.apiStatus(token)).toBe(401)
    const [finished, running] = before
    const now = service.now().getTime()
    const [same, ended] = await rowsOf('time_entries')
    expect(same).toEqual(finished)
    expect(ended).toEqual({ ...running, time_end: now, updated_at: now, version: ended?.version })
    expect(ended?.version).toBeGreaterThan(Number(running?.version))
    expect(await rowsOf('expenses')).toHaveLength(1)
    expect(await countOf('audit_log')).toBe(log)
    expect(await countOf('sign_in_attempts')).toBe(0)

    const later = await administration.addUser(service.storage, {
      ...{ email: 'ADA@example.com', name: 'Ada', clock: service.now },
    })
    expect(later.id).not.toBe(adaId)
    expect(await listIssuedTokens(service.storage, { email: ada, clock: service.now })).toEqual([])
    expect(await recordsOfUser(service.storage, ada, start)).toMatchObject({
      ...{ id: later.id, records: { entries: 0, expenses: 0 } },
    })
    expect(await signInAtProvider()).toEqual({ userId: later.id })
  })

  it('deletes the time, but not other records than those confirmed', async () => {
    await addRecords()
    const confirmed = { entries: 1, seconds: 5400, expenses: 1 }
    const request = { email: ada, action: 'delete' as const, clock: service.now, confirmed }
    await expect(removeUser(service.storage, request)).rejects.toMatchObject({ code: 'failure' })
    expect(await rowsOf('time_entries')).toHaveLength(2)
    await removeUser(service.storage, { ...request, confirmed: { ...confirmed, entries: 2 } })
    expect([await rowsOf('time_entries'), await rowsOf('expenses'), await usersOf()]).toEqual([[], [], []])
  })

  it('leaves a user who cannot be changed, but whose time can be deleted later', async () => {
    await addRecords()
    await remove('keep')
    const removed = `removed-user-${adaId}`
    const unknown = expect.objectContaining({ code: 'not_found' })
    await expect(administration.activateUser(service.storage, removed)).rejects.toEqual(unknown)
    const credentials = { email: removed, password, clock: service.now, cost: passwordCost }
    await expect(setPassword(service.storage, credentials)).rejects.toEqual(unknown)
    await expect(administration.getUser(service.storage, removed)).rejects.toEqual(unknown)
    const assignment = administration.assign(service.storage, { email: removed, project: '1' })
    await expect(assignment).rejects.toEqual(unknown)
    await expect(remove('keep', removed)).rejects.toMatchObject({ code: 'usage' })
    await remove('delete', removed)
    expect([await rowsOf('time_entries'), await usersOf()]).toEqual([[], []])
  })

  it('never removes the owner of a local workspace, or an unknown user', async () => {
    await administration.addUser(service.storage, { email: ownerEmail, name: 'You', clock: service.now })
    await expect(remove('delete', ' You@localhost')).rejects.toMatchObject({ code: 'usage' })
    await expect(remove('keep', 'eve@example.com')).rejects.toMatchObject({ code: 'not_found' })
    expect(await usersOf()).toHaveLength(2)
  })
})
