import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseCLI } from 'vitest/node'

const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>
}
const names = Object.keys(scripts).filter((name) => scripts[name]?.includes('vitest run'))

test.each(names)('npm run %s accepts the files to test', (name) => {
  const [, options = ''] = scripts[name]?.split('vitest run') ?? []
  const { filter } = parseCLI(`vitest run${options} test/one.test.ts`)
  expect(filter.at(-1)).toBe('test/one.test.ts')
})
