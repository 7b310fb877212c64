import { describe, expect, test } from 'vitest'
import { type EntryFilterOptions, entryFilter } from '../../../../src/program/options/entry-filters.js'
import { type Link, toLink } from '../../../../src/tracking/catalog/links.js'
import { billableTest } from '../../../../src/tracking/entries/billable.js'
import { type Entry, toEntry } from '../../../../src/tracking/entries/entry.js'

const design = linked(11, [1, 'Acme'], [5, 'Website'], [7, 'Design'])
const review = linked(12, [1, 'Acme'], [6, 'Café'], [8, 'Review'])
const travel = linked(13, [2, 'Globex'], [51, '!Important'], [9, 'Travel'])
const support = linked(14, undefined, [7, 'Internal'], [10, 'Support'])

function linked(id: number, client: Named | undefined, project: Named, task: Named): Link {
  const named = (one: Named | undefined) => (one ? { id: one[0], name: one[1] } : null)
  return toLink({ id, project_id: project[0], task_id: task[0] }, named(client), named(project), named(task))
}
type Named = [id: number, name: string]

function entry(name: string, link: Link | undefined, parts: Partial<Entry> = {}): Entry {
  const start = new Date('2024-05-01T09:00:00Z')
  const times = { time_start: start.toISOString(), time_end: start.toISOString() }
  const record = { id: name, ...times, notes: null, task_link_id: link?.id ?? null }
  return { ...toEntry({ record, pending: false }, link), ...parts }
}

const entries = [
  entry('design', design, { notes: 'First page #Logo' }),
  entry('review', review, { notes: 'ÜBER 100%, second page #café #logo-2' }),
  entry('travel', travel, { pending: true, notes: '!urgent' }),
  entry('support', support, { end: null }),
  entry('none', undefined),
]

function names(
  options: EntryFilterOptions,
  billable?: string[],
  rates: Record<string, string | null> = {},
): string[] {
  return entries.filter(entryFilter(options, { billable, rates })).map(({ id }) => String(id))
}

const all = ['design', 'review', 'travel', 'support', 'none']

describe('the filter of entries', () => {
  test.each<[EntryFilterOptions, string[]]>([
    [{}, all],
    [{ project: ['web'] }, ['design']],
    [{ project: ['WEB', 'cafe'] }, ['design', 'review']],
    [{ project: ['5'] }, ['design']],
    [{ project: ['!web'] }, ['review', 'travel', 'support', 'none']],
    [{ project: ['!web', '!internal'] }, ['review', 'travel', 'none']],
    [{ project: ['e', '!web'] }, ['review', 'support']],
    [{ project: ['\\!imp'] }, ['travel']],
    [{ project: ['!!imp'] }, ['design', 'review', 'support', 'none']],
    [{ client: ['acme'] }, ['design', 'review']],
    [{ client: ['acme'], task: ['!review'] }, ['design']],
    [{ task: ['design', 'support'] }, ['design', 'support']],
    [{ notes: ['page'] }, ['design', 'review']],
    [{ notes: ['über'] }, ['review']],
    [{ notes: ['100%', 'FIRST'] }, ['design', 'review']],
    [{ notes: ['!page'] }, ['travel', 'support', 'none']],
    [{ notes: ['\\!urgent'] }, ['travel']],
    [{ tag: ['logo'] }, ['design']],
    [{ tag: ['#LOGO', 'Cafe'] }, ['design', 'review']],
    [{ tag: ['!logo'] }, ['review', 'travel', 'support', 'none']],
    [{ tag: ['!#logo', 'logo-2'] }, ['review']],
    [{ running: true }, ['support']],
    [{ pending: true }, ['travel']],
    [{ running: true, pending: true }, []],
    [{ billable: true }, ['design', 'review', 'travel']],
    [{ notBillable: true }, ['support', 'none']],
  ])('%j finds %j', (options, expected) => {
    expect(names(options)).toEqual(expected)
  })

  test.each<[EntryFilterOptions, string]>([
    [{ project: ['Acme', '!acme'] }, '"Acme"'],
    [{ project: [''] }, 'project'],
    [{ client: [' '] }, 'client'],
    [{ task: ['!'] }, 'task'],
    [{ notes: ['\u0301'] }, 'notes'],
    [{ tag: [''] }, 'tag'],
    [{ tag: ['two words'] }, '"two words"'],
  ])('rejects %j and names %s', (options, part) => {
    expect(() => entryFilter(options, { billable: undefined, rates: {} })).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining(part),
        hint: expect.any(String),
      }),
    )
  })
})

describe('the billable setting', () => {
  test.each<[string[] | undefined, Record<string, string | null>, string[]]>([
    [undefined, {}, ['design', 'review', 'travel']],
    [[], {}, []],
    [['acme'], {}, ['design', 'review']],
    [['Acme/Website', '*/*/Support'], {}, ['design', 'support']],
    [['*'], {}, all],
    [['*', '!*/Internal'], {}, ['design', 'review', 'travel', 'none']],
    [['Acme', '!*/*/Review'], {}, ['design']],
    [['!*/*/Travel'], {}, ['design', 'review']],
    [['*/\\!Important'], {}, []],
    [undefined, { '*': '95' }, all],
    [undefined, { '*/Internal': '95' }, ['design', 'review', 'travel', 'support']],
    [undefined, { '*': '95', '*/Internal': null }, ['design', 'review', 'travel', 'none']],
    [undefined, { Acme: null, 'Acme/Website': '95' }, ['design', 'travel']],
    [undefined, { '*': null, Acme: '95' }, ['design', 'review']],
    [['*'], { '*/*/Review': null }, ['design', 'travel', 'support', 'none']],
    [['Acme'], { '*': '95' }, ['design', 'review']],
    [['!Acme'], { '*': '95' }, ['travel', 'support', 'none']],
  ])('%j with the rates %j selects %j', (billable, rates, expected) => {
    expect(names({ billable: true }, billable, rates)).toEqual(expected)
    expect(names({ notBillable: true }, billable, rates)).toEqual(
      all.filter((name) => !expected.includes(name)),
    )
  })

  test('rejects an invalid pattern', () => {
    expect(() => billableTest({ billable: ['!a/b/c/d'], rates: {} })).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining('a/b/c/d') }),
    )
  })
})

test('the filter reads the names of a link once for all its entries', () => {
  let read = 0
  const countingLink: Link = {
    ...design,
    get project() {
      read++
      return design.project
    },
  }
  const many = Array.from({ length: 1000 }, (_, index) => entry(String(index), countingLink))
  expect(many.filter(entryFilter({ project: ['web'] }, { billable: undefined, rates: {} }))).toHaveLength(
    1000,
  )
  expect(read).toBe(1)
})
