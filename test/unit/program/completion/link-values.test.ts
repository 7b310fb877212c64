import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchNames } from '../../../../src/lib/text/match-names.js'
import { linkCandidates } from '../../../../src/program/completion/known-records.js'
import { type Link, pathOf, toLink } from '../../../../src/tracking/catalog/links.js'

const name = fc.oneof(
  fc.constantFrom('Acme', 'acme', 'Design', ' Design', 'De  sign', '-x', '~x', '12', 'a/b', 'new\nline'),
  fc.string({ minLength: 1, maxLength: 4 }),
)

test('the candidate of a link finds only that link and is not an option', () => {
  const links = fc
    .uniqueArray(fc.record({ client: fc.option(name), project: name, task: name }), {
      selector: ({ client, project, task }) => JSON.stringify([client, project, task]),
      maxLength: 8,
    })
    .map((all) =>
      all.map(({ client, project, task }, index) => {
        const named = (text: string | null) => (text === null ? null : { id: index, name: text })
        const wire = { id: index + 10, project_id: index, task_id: index }
        return toLink(wire, named(client), named(project), named(task))
      }),
    )
  fc.assert(
    fc.property(links, (all) => {
      const candidates = linkCandidates(all)
      expect(candidates).toHaveLength(all.length)
      all.forEach((link, index) => {
        const value = candidates[index]?.value ?? ''
        expect(value).not.toMatch(/^[-~]/)
        expect(found(value, all)).toEqual([link.id])
      })
    }),
  )
})

test('the candidates of two links with the same path are their IDs', () => {
  const task = { id: 1, name: 'c' }
  const links = [
    toLink({ id: 10, project_id: 1, task_id: 1 }, { id: 1, name: 'a' }, { id: 1, name: 'b' }, task),
    toLink({ id: 11, project_id: 2, task_id: 1 }, null, { id: 2, name: 'a/b' }, task),
  ]
  expect(linkCandidates(links).map(({ value }) => value)).toEqual(['10', '11'])
})

/** Finds links as `Catalog.find` does: by ID, otherwise by names. */
function found(typed: string, links: Link[]) {
  const byId = links.filter(({ id }) => String(id) === typed.trim())
  return (byId.length > 0 ? byId : matchNames(typed, links, pathOf)).map(({ id }) => id)
}
