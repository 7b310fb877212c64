import { expect, it } from 'vitest'
import { linkHeader } from '../../../../../src/service/http/lists/paging.js'

it.each([
  ['without a page', 'https://tt.example/timesheets?per_page=10'],
  ['with a page in between', 'https://tt.example/timesheets?per_page=10&page=2&q=%7B%7D'],
  ['with the page first', 'https://tt.example/timesheets?page=2&per_page=10'],
  [
    'with values that look like a page',
    'https://tt.example/t?xpage=PAGE&q=%26page%3DPAGE&page=PAGE&per_page=10',
  ],
  ['with several pages', 'https://tt.example/t?page=1&page=7&per_page=10'],
  ['with characters to escape', 'https://tt.example/t?q={"notes_cont":"a b ü page=PAGE"}&per_page=10'],
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
