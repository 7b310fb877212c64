import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { referenceParts, withReference } from '../../../../src/build/documents/reference.js'

const docs = new URL('../../../../docs/', import.meta.url)
const pages = readdirSync(docs).filter((name) => name.endsWith('.md'))
const parts = await referenceParts()
const textOf = (name: string) => readFileSync(new URL(name, docs), 'utf8')

test.each(pages)('docs/%s contains the generated parts as they are now (npm run docs)', (name) => {
  expect(textOf(name)).toBe(withReference(textOf(name), parts))
})

test.each([
  ...['commands', 'common-options', 'command-reference', 'settings', 'exit-codes'],
  ...['topic-time', 'topic-names', 'topic-environment', 'topic-files', 'topic-prompts'],
])('a page of the documentation contains the generated part %s', (name) => {
  expect(pages.filter((page) => textOf(page).includes(`<!-- begin ${name} -->`))).toHaveLength(1)
})

test('rejects a marker without a generated part', () => {
  expect(() => withReference('<!-- begin none -->\n<!-- end none -->', parts)).toThrow('"none"')
})
