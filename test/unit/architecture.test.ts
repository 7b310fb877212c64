import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8')
const documents = [
  'ARCHITECTURE.md',
  'src/build/README.md',
  ...['docs/decisions/', 'docs/internals/'].flatMap((directory) =>
    readdirSync(new URL(directory, root)).map((name) => directory + name),
  ),
]

const modules = readdirSync(new URL('src/', root), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

test('ARCHITECTURE.md has a row for every module', () => {
  const rows = [...textOf('ARCHITECTURE.md').matchAll(/^\| `([^`/]+)\/` \|/gm)].map(([, name]) => name)
  expect(rows.sort()).toEqual(modules.sort())
})

test.each(documents)('%s names only files that exist', (document) => {
  const top = ['bin', 'src', 'test', 'docs']
  const names = new RegExp(`\`((${[...top, ...modules].join('|')})/[\\w./-]+)\``, 'g')
  const paths = [...textOf(document).matchAll(names)].map(([, path = '', first = '']) =>
    top.includes(first) ? path : `src/${path}`,
  )
  expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
})

test('only config/profile.ts knows the kind of a profile: other files ask for a capability', () => {
  const names = "'(local|environment|token)'|localName"
  const question = new RegExp(
    `\\b(isLocal|isServed|inProcess|isInProcess)\\b|[!=]== (${names})|(${names}) [!=]==|profile\\??\\.(kind|method) [!=]==|baseUrl [!=]== undefined \\?`,
  )
  const files = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => path.replaceAll('\\', '/'))
  expect(files.filter((path) => question.test(textOf(`src/${path}`)))).toEqual(['config/profile.ts'])
})
