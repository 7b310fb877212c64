import { describe, expect, onTestFinished, test } from 'vitest'
import { createApi } from '../../../../src/api-client/endpoints.js'
import { createHttp } from '../../../../src/api-client/http/client.js'
import type { Fetch } from '../../../../src/api-client/http/transport.js'
import { Staleness } from '../../../../src/outbox/cache/staleness.js'
import * as administration from '../../../../src/service/admin/administration.js'
import { Catalog, type TaskPrompts } from '../../../../src/tracking/catalog/catalog.js'
import { ReferenceReader } from '../../../../src/tracking/catalog/reference-data.js'
import { openTestState } from '../../outbox/fixtures.js'
import { createServiceFixture, temporarySqlite } from '../../service/fixtures.js'

const catalogPaths = ['/clients', '/projects', '/task_links', '/tasks']

type Fault = 'none' | 'down' | 'invalid response' | 'unauthorized' | 'missing tasks'

/** Creates the real service with injectable faults, and a profile that uses it. */
async function setUp({ local = false } = {}) {
  const database = await temporarySqlite()
  onTestFinished(() => database.close())
  const { storage } = database
  const { app, users } = await createServiceFixture(storage)
  const state = await openTestState()
  let paths: string[] = []
  const service = {
    /** Returns the paths of the requests since the last call, sorted. */
    takeRequests() {
      const before = paths.sort()
      paths = []
      return before
    },
    fault: 'none' as Fault,
  }
  const fetch: Fetch = async (url, { signal, ...init }) => {
    paths.push(new URL(url).pathname.replace('/api/v1', ''))
    if (service.fault === 'down')
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
    if (service.fault === 'invalid response') return new Response('<html>')
    if (service.fault === 'unauthorized') return new Response('', { status: 401 })
    const response = await app.fetch(new Request(url, init))
    if (service.fault === 'missing tasks' && url.includes('/tasks'))
      response.headers.set('x-total-count', '99')
    return response
  }
  const http = createHttp({
    baseUrl: 'http://localhost/api/v1',
    token: () => `${users[0]}`,
    userAgent: 'tt',
    fetch,
  })

  const addLink = (task: string) =>
    administration.addLink(storage, { client: 'Acme', project: 'Website', task })

  /** Creates the catalog of one command that runs at this time. */
  const command = (time: string, prompts?: TaskPrompts) => {
    const now = new Date(`2024-05-08T${time}:00Z`)
    const warnings: string[] = []
    const staleness = new Staleness({ now, warn: (text) => warnings.push(text) })
    const reference = new ReferenceReader(createApi(http), {
      state: local ? undefined : state,
      now,
      staleness: async () => staleness,
    })
    const catalog = new Catalog(reference, {
      create: local ? ({ task }) => addLink(task) : undefined,
      prompts: async () => prompts,
      defaultTask: async () => 'General',
      message: () => {},
      warn: () => {},
    })
    return { reference, catalog, warnings }
  }
  return { service, command, addLink }
}

/** Sets up a profile with a catalog of 09:00 in its cache. */
async function setUpCached() {
  const setup = await setUp()
  await setup.command('09:00').reference.current('catalog')
  setup.service.takeRequests()
  return setup
}

describe('finding a task', () => {
  test('requests the catalog once per hour for all processes, and after the clock was set back', async () => {
    const { service, command } = await setUp()
    const { catalog } = command('09:00')
    expect((await catalog.plan('design')).label).toBe('Acme / Website / Design')
    expect((await catalog.byId(1))?.label).toBe('Acme / Website / Design')
    expect(service.takeRequests()).toEqual(catalogPaths)
    expect((await command('09:59').catalog.plan('web/des')).label).toBe('Acme / Website / Design')
    expect(service.takeRequests()).toEqual([])
    for (const time of ['10:00', '08:30']) {
      await command(time).catalog.plan('design')
      expect(service.takeRequests()).toEqual(catalogPaths)
    }
  })

  test('requests the catalog again after an incomplete list of tasks', async () => {
    const { service, command } = await setUp()
    service.fault = 'missing tasks'
    await command('09:00').catalog.plan('design')
    service.fault = 'none'
    service.takeRequests()
    await command('09:10').catalog.plan('design')
    expect(service.takeRequests()).toEqual(catalogPaths)
    await command('09:20').catalog.plan('design')
    expect(service.takeRequests()).toEqual([])
  })

  test('requests the catalog again for a task that was added within the hour', async () => {
    const { service, command, addLink } = await setUpCached()
    const { id } = await addLink('Review')
    service.takeRequests()
    expect((await command('09:00').catalog.plan('review')).id).toBe(id)
    expect(service.takeRequests()).toEqual(catalogPaths)
    const { id: another } = await addLink('Tests')
    expect((await command('09:10').catalog.plan(String(another))).label).toBe('Acme / Website / Tests')
  })

  test('requests the catalog again only once before it rejects a name with similar names', async () => {
    const { service, command } = await setUpCached()
    const { catalog } = command('09:10')
    await expect(catalog.plan('desing')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('Did you mean Design'),
    })
    await expect(catalog.plan('desing')).rejects.toMatchObject({ code: 'usage' })
    expect(service.takeRequests()).toEqual(catalogPaths)
  })

  test.each(['down', 'invalid response'] as const)(
    'uses the cache of any age while the fault of the service is "%s"',
    async (fault) => {
      const { service, command } = await setUpCached()
      service.fault = fault
      const { catalog, warnings } = command('23:00')
      expect((await catalog.plan('design')).label).toBe('Acme / Website / Design')
      expect(warnings).toEqual([])
      await expect(catalog.plan('99')).rejects.toMatchObject({ code: 'usage' })
      expect(warnings).toEqual([expect.stringMatching(/Showing cached data of .*, 14 hours ago\.$/)])
    },
  )

  test('accepts only an ID, and returns no names, without a cache while the service is down', async () => {
    const { service, command } = await setUp()
    service.fault = 'down'
    expect(await command('09:00').catalog.plan(' 12 ')).toMatchObject({ id: 12, label: 'Task 12' })
    expect(await command('09:00').catalog.plan('007')).toMatchObject({ id: '007' })
    await expect(command('09:00').catalog.plan('design')).rejects.toMatchObject({ code: 'unreachable' })
    expect(await command('09:00').catalog.linksOf([1])).toEqual(new Map())
    service.fault = 'unauthorized'
    await expect(command('09:00').catalog.plan('12')).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(command('09:00').catalog.linksOf([1])).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('requests the catalog after invalidate() in every process, and uses the cache while the service is down', async () => {
    const { service, command } = await setUp()
    const { catalog } = command('09:00')
    await catalog.plan('design')
    catalog.invalidate()
    service.fault = 'down'
    expect((await command('09:01').catalog.plan('design')).id).toBe(1)
    const { reference, warnings } = command('09:01')
    await reference.current('catalog')
    expect(warnings).toEqual([expect.stringContaining(', 1 minute ago.')])
    service.fault = 'none'
    service.takeRequests()
    await command('09:02').catalog.plan('design')
    expect(service.takeRequests()).toEqual(catalogPaths)
    await command('09:03').catalog.plan('design')
    expect(service.takeRequests()).toEqual([])
    await catalog.plan('design')
    expect(service.takeRequests()).toEqual(catalogPaths)
  })

  test('forgets a task that it has created: the change that needs the task may fail', async () => {
    const { service, command } = await setUp({ local: true })
    const { catalog } = command('09:00')
    const planned = await catalog.plan('Website/Tests', { create: true })
    expect(planned.id).toBeUndefined()
    expect(await planned.resolve()).toMatchObject({ label: 'Acme / Website / Tests', id: expect.anything() })
    service.takeRequests()
    await catalog.links()
    expect(service.takeRequests()).toEqual(catalogPaths)
  })
})

describe('naming an entry', () => {
  test('uses the catalog of the last hour and requests it again for an unknown link', async () => {
    const { service, command, addLink } = await setUpCached()
    const { id } = await addLink('Review')
    service.takeRequests()
    const links = await command('09:10').catalog.linksOf([1, id, null, 1])
    expect([...links.values()].map(({ label }) => label)).toEqual([
      'Acme / Website / Design',
      'Acme / Website / Review',
    ])
    expect(service.takeRequests()).toEqual(catalogPaths)
  })

  test('returns no name for a deleted link, and requests the catalog at most once a minute', async () => {
    const { service, command } = await setUpCached()
    expect(await command('09:00').catalog.byId(99)).toBeUndefined()
    expect(service.takeRequests()).toEqual([])
    expect(await command('09:01').catalog.byId(99)).toBeUndefined()
    expect(service.takeRequests()).toEqual(catalogPaths)
    expect(await command('09:01').catalog.byId(99)).toBeUndefined()
    expect(service.takeRequests()).toEqual([])
  })
})

test('a task can be picked without the service and without the most used tasks', async () => {
  const { service, command } = await setUpCached()
  service.fault = 'down'
  const first: TaskPrompts = {
    selectTask: async ({ tasks: [task] }) => {
      if (!task) throw new Error('There is no choice.')
      return task
    },
  }
  expect((await command('09:10', first).catalog.pick()).label).toBe('Acme / Website / Design')
})

describe('a list', () => {
  test('is requested each time, and then used to find tasks', async () => {
    const { service, command } = await setUp()
    await command('09:00').reference.projects({})
    expect(service.takeRequests()).toEqual(catalogPaths)
    await command('09:01').reference.clients({})
    expect(service.takeRequests()).toEqual(catalogPaths)
    await command('09:02').catalog.plan('design')
    expect(service.takeRequests()).toEqual([])
  })

  test('with predicates is requested separately, does not change the cached lists, and fails if the service rejects the token', async () => {
    const { service, command, addLink } = await setUp()
    await command('09:00').reference.taskLinks({})
    await addLink('Review')
    service.takeRequests()
    expect(await command('09:01').reference.taskLinks({ id_gteq: '2' })).toMatchObject([{ id: 2 }])
    expect(service.takeRequests()).toEqual(['/task_links'])
    service.fault = 'down'
    const { reference, warnings } = command('09:06')
    expect(await reference.taskLinks({ id_lt: '2' })).toMatchObject([{ id: 1 }])
    expect(await reference.taskLinks({ id_gteq: '2' })).toEqual([])
    expect(warnings).toEqual([
      expect.stringMatching(/connection refused.*Showing cached data of .*, 6 minutes ago\.$/),
    ])
    service.fault = 'unauthorized'
    await expect(reference.taskLinks({ id_lt: '2' })).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('is requested only once per command while the service is down', async () => {
    const { service, command } = await setUpCached()
    service.fault = 'down'
    const { reference, catalog } = command('20:00')
    await reference.projects({ name_cont: 'x' })
    await reference.catalogWith('links', [99])
    await catalog.links()
    expect(service.takeRequests()).toEqual(['/projects'])
  })
})
