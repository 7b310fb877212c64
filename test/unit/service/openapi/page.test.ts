import { expect, it } from 'vitest'
import { createDocument } from '../../../../src/service/openapi/document.js'
import { documentPage } from '../../../../src/service/openapi/page/page.js'

const document = createDocument('https://time.example.org')
const { headers, body } = documentPage(document)
const page = String(body)

const sectionOf = (id: string) =>
  page.split(`<section class="item" id="${id}">`)[1]?.split('</section>')[0] ?? ''

it('forbids scripts and external resources, and has none', () => {
  expect(headers['Content-Security-Policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:/,
  )
  expect(page).not.toMatch(/<script|<iframe|<img|url\(|@import| on\w+=/)
  const resources = [...page.matchAll(/<link[^>]*href="([^"]*)"/g)].map(([, address]) => address)
  expect(resources).toEqual(['data:,'])
})

it('has a section for each operation and each schema, and no dead link', () => {
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  const operations = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  expect(ids).toEqual(
    expect.arrayContaining([...operations, ...Object.keys(document.components.schemas ?? {})]),
  )
  expect(new Set(ids).size).toBe(ids.length)
  const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target)
  expect(targets.filter((target) => !ids.includes(target))).toEqual([])
})

it('describes parameters, bodies and responses of an operation', () => {
  const section = sectionOf('createTimeEntry')
  const texts = ['Idempotency-Key', 'task_link_id', 'service:write', '201', '409', '422', '503']
  for (const text of [...texts, 'Retry-After']) expect(section).toContain(text)
})

it('has commands with curl and tt for each operation of the API', () => {
  expect(sectionOf('createTimeEntry')).toContain(
    'tt api POST /timesheets \\\n  -f time_start=2026-11-02T09:30:00+01:00',
  )
  expect(sectionOf('createTimeEntry')).toContain('-f task_link_id:=12')
  expect(sectionOf('createExpense')).toContain('-f expense.amount=12.50')
  expect(sectionOf('listProjects')).toContain('tt api GET /projects \\\n  -q name_cont=website')
  expect(sectionOf('listProjects')).toContain(
    '--data-urlencode &#39;q={&quot;name_cont&quot;:&quot;website&quot;}&#39;',
  )
  expect(sectionOf('deleteExpense')).toContain(
    'curl --request DELETE \\\n  https://time.example.org/api/v1/expenses/ID',
  )
  expect(sectionOf('checkHealth')).not.toContain('tt api')
})
