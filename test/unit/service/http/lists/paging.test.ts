import { expect, it } from 'vitest'
import { linkHeader } from '../../../../../src/service/http/list.js'
import { createServiceFixture, sendTo, temporarySqlite } from '../../fixtures.js'

it.each([
  ['with a page in between', 'https://tt.example/timesheets?per_page=10&page=2&q=%7B%7D'],
  ['with the page first', 'https://tt.example/timesheets?page=2&per_page=10'],
  [
    'with values that look like a page',
    'https://tt.example/t?xpage=PAGE&q=%26page%3DPAGE&page=PAGE&per_page=10',
  ],
  ['without a page', 'https://tt.example/t?q={"notes_cont":"a b ü page=PAGE"}&per_page=10'],
])('links pages of an address %s', (_, address) => {
  const links = linkHeader(address, { page: 2, perPage: 10 }, 45).split(', ')
  const pages: [string, number][] = [
    ['first', 1],
    ['prev', 1],
    ['next', 3],
    ['last', 5],
  ]
  expect(links).toEqual(
    pages.map(([rel, page]) => {
      const url = new URL(address)
      url.searchParams.set('page', String(page))
      return `<${url}>; rel="${rel}"`
    }),
  )
})

it('continues a long list after the last record of the part before', async () => {
  const { storage, close } = await temporarySqlite()
  const at = await createServiceFixture(storage)
  for (const hour of [6, 7, 8, 9])
    await at.send('POST', '/timesheets', { time_start: `2024-05-08T0${hour}:00:00Z`, task_link_id: at.link })
  const read = (path: string) => sendTo({ storage, maxListRecords: 3 }, at.users[0], path)
  const first = await read('/timesheets')
  await first.body?.cancel()
  const [, next = ''] = /<\/api\/v1([^>]*)>; rel="next"/.exec(first.headers.get('Link') ?? '') ?? []
  const second = await read(next)
  expect(await second.json()).toEqual([expect.objectContaining({ time_start: '2024-05-08T09:00:00.000Z' })])
  expect(second.headers.get('X-Total-Count')).toBe('4')
  await close()
})
