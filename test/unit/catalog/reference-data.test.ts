import { describe, expect, onTestFinished, test } from 'vitest'
import { createApi } from '../../../src/api/endpoints.js'
import { createHttp } from '../../../src/api/http/http.js'
import type { Fetch } from '../../../src/api/http/transport.js'
import { Staleness } from '../../../src/cache/staleness.js'
import { Catalog, type TaskPrompts } from '../../../src/catalog/catalog.js'
import { Reference } from '../../../src/catalog/reference-data.js'
import * as administration from '../../../src/service/admin/administration.js'
import { openTestState } from '../outbox/fixtures.js'
import { createServiceFixture, temporarySqlite } from '../service/fixtures.js'

const catalogPaths = ['/clients', '/projects', '/task_links', '/tasks']

interface Service {
  /** What was asked of it since it was looked at last, by path. */
  asked(): string[]
  /** How it answers from now on. */
  trouble: 'none' | 'down' | 'nonsense' | 'refusing'
}

/** The real service, behind a cable that can be pulled, and a profile that uses it. */
async function newWorld({ local = false } = {}) {
  const database = await temporarySqlite()
  onTestFinished(() => database.close())
  const { storage } = database
  const { app, users } = await createServiceFixture(storage)
  const state = await openTestState()
  let paths: string[] = []
  const service: Service = {
    asked() {
      const before = paths.sort()
      paths = []
      return before
    },
    trouble: 'none',
  }
  const fetch: Fetch = async (url, { signal, ...init }) => {
    paths.push(new URL(url).pathname.replace('/api/v1', ''))
    if (service.trouble === 'down')
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
    if (service.trouble === 'nonsense') return new Response('<html>')
    if (service.trouble === 'refusing') return new Response('', { status: 401 })
    return app.fetch(new Request(url, init))
  }
  const http = createHttp({
    baseUrl: 'http://localhost/api/v1',
    token: () => `${users[0]}`,
    userAgent: 'tt',
    fetch,
  })

  /** What one command, typed at that time, uses. */
  const command = (time: string, questions?: TaskPrompts) => {
    const now = new Date(`2024-05-08T${time}:00Z`)
    const said: string[] = []
    const staleness = new Staleness({ now, warn: (text) => said.push(text) })
    const reference = new Reference(createApi(http), {
      state: local ? undefined : state,
      now,
      staleness: async () => staleness,
    })
    const catalog = new Catalog(reference, { prompts: async () => questions, message: () => {} })
    return { reference, catalog, said }
  }
  const addLink = (task: string) =>
    administration.addLink(storage, { client: 'Acme', project: 'Website', task })
  return { service, command, addLink }
}

describe('a task is found', () => {
  test('by one look at the service an hour, whatever process looks', async () => {
    const { service, command } = await newWorld()
    const { catalog } = command('09:00')
    expect((await catalog.find('design')).label).toBe('Acme / Website / Design')
    expect((await catalog.byId(1))?.label).toBe('Acme / Website / Design')
    expect(service.asked()).toEqual(catalogPaths)
    expect((await command('09:59').catalog.find('web/des')).label).toBe('Acme / Website / Design')
    expect(service.asked()).toEqual([])
    await command('10:00').catalog.find('design')
    expect(service.asked()).toEqual(catalogPaths)
  })

  test('that was added within the hour, because what is not found is asked for again', async () => {
    const { service, command, addLink } = await newWorld()
    await command('09:00').catalog.find('design')
    const { id } = await addLink('Review')
    service.asked()
    expect((await command('09:00').catalog.find('review')).id).toBe(id)
    expect(service.asked()).toEqual(catalogPaths)
    const { id: another } = await addLink('Tests')
    expect((await command('09:10').catalog.find(String(another))).label).toBe('Acme / Website / Tests')
  })

  test('or refused with the nearest names only after the service was asked again, once', async () => {
    const { service, command } = await newWorld()
    await command('09:00').catalog.find('design')
    service.asked()
    const { catalog } = command('09:10')
    await expect(catalog.find('desing')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('Nearest: Design'),
    })
    await expect(catalog.find('desing')).rejects.toMatchObject({ code: 'usage' })
    expect(service.asked()).toEqual(catalogPaths)
  })

  test.each(['down', 'nonsense'] as const)(
    'in what was kept, however old, while the service is %s',
    async (trouble) => {
      const { service, command } = await newWorld()
      await command('09:00').catalog.find('design')
      service.trouble = trouble
      const { catalog, said } = command('23:00')
      expect((await catalog.find('design')).label).toBe('Acme / Website / Design')
      expect(said).toEqual([])
      await expect(catalog.find('99')).rejects.toMatchObject({ code: 'usage' })
      expect(said).toEqual([expect.stringMatching(/Showing cached data of .*, 14 hours ago\.$/)])
    },
  )

  test('by its id alone where nothing was ever kept', async () => {
    const { service, command } = await newWorld()
    service.trouble = 'down'
    expect(await command('09:00').catalog.find(' 12 ')).toMatchObject({ id: 12, label: 'Task link 12' })
    expect(await command('09:00').catalog.find('007')).toMatchObject({ id: '007' })
    await expect(command('09:00').catalog.find('design')).rejects.toMatchObject({ code: 'unreachable' })
    service.trouble = 'refusing'
    await expect(command('09:00').catalog.find('12')).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('after forget() by asking the service, in whatever process; what was kept stays for a day without it', async () => {
    const { service, command } = await newWorld()
    const { catalog } = command('09:00')
    await catalog.find('design')
    catalog.forget()
    service.trouble = 'down'
    expect((await command('09:01').catalog.find('design')).id).toBe(1)
    const { reference, said } = command('09:01')
    await reference.current('catalog')
    expect(said).toEqual([expect.stringContaining(', 1 minute ago.')])
    service.trouble = 'none'
    service.asked()
    await command('09:02').catalog.find('design')
    expect(service.asked()).toEqual(catalogPaths)
    await command('09:03').catalog.find('design')
    expect(service.asked()).toEqual([])
    await catalog.find('design')
    expect(service.asked()).toEqual(catalogPaths)
  })

  test('by asking each time in the local workspace, which keeps nothing', async () => {
    const { service, command } = await newWorld({ local: true })
    await command('09:00').catalog.find('design')
    service.asked()
    await command('09:00').catalog.find('design')
    expect(service.asked()).toEqual(catalogPaths)
    service.trouble = 'down'
    await expect(command('09:00').reference.current('catalog')).rejects.toMatchObject({ code: 'unreachable' })
  })
})

describe('an entry is named', () => {
  test('by what was asked within the hour; a link that is unknown there is asked for', async () => {
    const { service, command, addLink } = await newWorld()
    await command('09:00').catalog.links()
    const { id } = await addLink('Review')
    service.asked()
    const links = await command('09:10').catalog.linksOf([1, id, null, 1])
    expect([...links.values()].map(({ label }) => label)).toEqual([
      'Acme / Website / Design',
      'Acme / Website / Review',
    ])
    expect(service.asked()).toEqual(catalogPaths)
  })

  test('not at all where its link is gone, and that is asked once a minute', async () => {
    const { service, command } = await newWorld()
    await command('09:00').catalog.links()
    service.asked()
    expect(await command('09:00').catalog.byId(99)).toBeUndefined()
    expect(service.asked()).toEqual([])
    expect(await command('09:01').catalog.byId(99)).toBeUndefined()
    expect(service.asked()).toEqual(catalogPaths)
    expect(await command('09:01').catalog.byId(99)).toBeUndefined()
    expect(service.asked()).toEqual([])
  })

  test('without names where nothing is cached and the service is down', async () => {
    const { service, command } = await newWorld()
    service.trouble = 'down'
    expect(await command('09:00').catalog.linksOf([1])).toEqual(new Map())
    service.trouble = 'refusing'
    await expect(command('09:00').catalog.linksOf([1])).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})

test('tasks can be picked without the service and without the most used tasks', async () => {
  const { service, command } = await newWorld()
  await command('09:00').catalog.links()
  service.trouble = 'down'
  const first: TaskPrompts = {
    selectTask: async ([link]) => {
      if (!link) throw new Error('There is no choice.')
      return link
    },
    confirmCreate: async () => true,
  }
  expect((await command('09:10', first).catalog.pick()).label).toBe('Acme / Website / Design')
})

describe('a list', () => {
  test('is requested each time, and then used to find tasks', async () => {
    const { service, command } = await newWorld()
    await command('09:00').reference.projects({})
    expect(service.asked()).toEqual(catalogPaths)
    await command('09:01').reference.clients({})
    expect(service.asked()).toEqual(catalogPaths)
    await command('09:02').catalog.find('design')
    expect(service.asked()).toEqual([])
  })

  test('with predicates is requested alone, and does not change the cached lists', async () => {
    const { service, command, addLink } = await newWorld()
    await command('09:00').reference.tasks({})
    await addLink('Review')
    service.asked()
    expect(await command('09:01').reference.tasks({ name_cont: 'REV' })).toMatchObject([{ name: 'Review' }])
    expect(service.asked()).toEqual(['/tasks'])
    service.trouble = 'down'
    const { reference, said } = command('09:06')
    expect(await reference.tasks({ name_cont: 'E' })).toMatchObject([{ name: 'Design' }])
    expect(await reference.tasks({ name_cont: 'rev' })).toEqual([])
    expect(said).toEqual([
      expect.stringMatching(/connection refused.*Showing cached data of .*, 6 minutes ago\.$/),
    ])
  })

  test('throws what the service says, whatever was kept', async () => {
    const { service, command } = await newWorld()
    await command('09:00').reference.current('company')
    service.trouble = 'refusing'
    const { reference } = command('09:01')
    await expect(reference.current('company')).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(reference.tasks({ name_cont: 'x' })).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('is asked for in vain once a command', async () => {
    const { service, command } = await newWorld()
    await command('09:00').reference.current('catalog')
    service.asked()
    service.trouble = 'down'
    const { reference, catalog } = command('20:00')
    await reference.projects({ name_cont: 'x' })
    await reference.catalogWith('links', [99])
    await catalog.links()
    expect(service.asked()).toEqual(['/projects'])
  })
})
