import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readDirectoryFile } from '../../../src/config/directory-file.js'
import { bundleScript } from '../../support/bundle-script.js'
import { run, temporaryDirectory } from '../../support/process.js'
import { unprivilegedArguments } from '../../support/unprivileged.js'

/** Creates a tree with a deep directory and these directory files, by path. */
function tree(files: Record<string, unknown>): { top: string; deep: string } {
  const top = temporaryDirectory()
  const deep = join(top, 'a', 'b', 'c')
  mkdirSync(deep, { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    writeFileSync(join(top, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return { top, deep }
}

test('returns undefined without a directory file', () => {
  expect(readDirectoryFile(tree({}).deep)).toBeUndefined()
  expect(readDirectoryFile('/')).toBeUndefined()
  expect(readDirectoryFile(join(tree({}).deep, 'gone', 'for', 'good'))).toBeUndefined()
})

test('finds the file in a parent directory and returns its path', () => {
  const settings = { profile: 'acme', task: 'Website/Design', notes: 'page' }
  const { top, deep } = tree({ '.tt.json': settings })
  expect(readDirectoryFile(deep)).toEqual({ path: join(top, '.tt.json'), ...settings, ignored: [] })
  expect(readDirectoryFile(top)).toEqual({ path: join(top, '.tt.json'), ...settings, ignored: [] })
})

test('uses only the nearest file', () => {
  const { top, deep } = tree({
    '.tt.json': { profile: 'far', task: 'Far' },
    'a/b/.tt.json': { profile: 'near' },
  })
  expect(readDirectoryFile(deep)).toEqual({ path: join(top, 'a/b/.tt.json'), profile: 'near', ignored: [] })
  expect(readDirectoryFile(join(top, 'a'))).toMatchObject({ profile: 'far', task: 'Far' })
})

test('ignores URLs, credentials and commands, and lists their names', () => {
  const evil = {
    ...{ base_url: 'https://evil.example', token: 'evil', Profile: 'evil' },
    ...{ editor: ['evil'], insecure_http: true, profiles: { acme: { base_url: 'https://evil.example' } } },
  }
  const { top, deep } = tree({ '.tt.json': { ...evil, profile: 'acme' } })
  const ignored = Object.keys(evil)
  expect(readDirectoryFile(deep)).toEqual({ path: join(top, '.tt.json'), profile: 'acme', ignored })
})

test('ignores names of Object.prototype', () => {
  const text = '{"__proto__":{"profile":"evil"},"constructor":"evil","toString":"evil","task":"Design"}'
  const found = readDirectoryFile(tree({ '.tt.json': text }).deep)
  expect(found).toMatchObject({ task: 'Design', ignored: ['__proto__', 'constructor', 'toString'] })
  expect(found?.profile).toBeUndefined()
  expect(Object.getPrototypeOf(found)).toBe(Object.prototype)
})

test.each([
  ['', 'is not JSON'],
  ['"acme"', 'is not a JSON object'],
  ['[]', 'is not a JSON object'],
  ['null', 'is not a JSON object'],
  ['{"profile":7}', 'has a "profile" that is not a text'],
  ['{"profile":""}', 'has a "profile" that is not a text'],
  ['{"task":["Design"]}', 'has a "task" that is not a text'],
])('ignores the text %j with the problem "%s", and the files above', (text, problem) => {
  const { top, deep } = tree({ '.tt.json': { task: 'Design' }, 'a/.tt.json': text })
  expect(readDirectoryFile(deep)).toEqual({ path: join(top, 'a/.tt.json'), ignored: [], problem })
})

test('ignores a looping symlink', () => {
  const { top, deep } = tree({})
  symlinkSync('.tt.json', join(top, '.tt.json'))
  expect(readDirectoryFile(deep)?.problem).toBe('cannot be read (ELOOP)')
})

test('ignores a file that this user may not read', async ({ skip }) => {
  if (unprivilegedArguments === undefined) return skip('root can read every file')
  const { top, deep } = tree({ '.tt.json': {} })
  chmodSync(join(top, '.tt.json'), 0o000)
  const reader = await bundleScript(`
    import { readDirectoryFile } from './src/config/directory-file.ts'
    console.log(readDirectoryFile(process.argv[2]).problem)
  `)
  const outcome = await run('env', [...unprivilegedArguments, process.execPath, reader, deep])
  expect(outcome.stdout).toBe('cannot be read (EACCES)\n')
})

describe('a file that another user could have written', () => {
  const otherUser = 65_534
  const isRoot = process.getuid?.() === 0

  test('is ignored when it belongs to another user', ({ skip }) => {
    skip(!isRoot, 'only root can give a file to another user')
    const { top, deep } = tree({ '.tt.json': { task: 'Design' } })
    chownSync(join(top, '.tt.json'), otherUser, otherUser)
    const problem = 'belongs to another user'
    expect(readDirectoryFile(deep)).toEqual({ path: join(top, '.tt.json'), ignored: [], problem })
  })

  test('is ignored when it is a symlink of another user', ({ skip }) => {
    skip(!isRoot, 'only root can give a symlink to another user')
    const { top, deep } = tree({ 'own.json': { task: 'Design' } })
    symlinkSync('own.json', join(top, '.tt.json'))
    lchownSync(join(top, '.tt.json'), otherUser, otherUser)
    expect(readDirectoryFile(deep)?.problem).toBe('belongs to another user')
  })

  test('is used when it belongs to root', async ({ skip }) => {
    skip(!isRoot, 'only root can write a file of root')
    const { top, deep } = tree({ '.tt.json': { task: 'Design' } })
    chmodSync(top, 0o755)
    const reader = await bundleScript(`
      import { readDirectoryFile } from './src/config/directory-file.ts'
      console.log(JSON.stringify(readDirectoryFile(process.argv[2])))
    `)
    const outcome = await run(process.execPath, [reader, deep], { uid: otherUser, gid: otherUser })
    expect(JSON.parse(outcome.stdout)).toEqual({ path: join(top, '.tt.json'), task: 'Design', ignored: [] })
  })

  test.each(['.', 'a'])('is ignored below a world-writable directory: %s', (open) => {
    const { top, deep } = tree({ 'a/b/.tt.json': { task: 'Design' } })
    chmodSync(join(top, open), 0o777)
    const problem = `is below ${join(top, open)}, which is world-writable`
    expect(readDirectoryFile(deep)).toEqual({ path: join(top, 'a/b/.tt.json'), ignored: [], problem })
  })

  test('is ignored when it is a symlink to a file below such a directory', () => {
    const { top, deep } = tree({ 'a/own.json': { task: 'Design' } })
    chmodSync(join(top, 'a'), 0o777)
    symlinkSync('a/own.json', join(top, '.tt.json'))
    expect(readDirectoryFile(top)?.problem).toBe(`is below ${join(top, 'a')}, which is world-writable`)
    expect(readDirectoryFile(deep)?.problem).toBe(`is below ${join(top, 'a')}, which is world-writable`)
  })

  test('is used below a directory with the sticky bit, such as /tmp, or that a group can write', () => {
    const { top, deep } = tree({ '.tt.json': { task: 'Design' } })
    for (const mode of [0o1777, 0o775]) {
      chmodSync(top, mode)
      expect(readDirectoryFile(deep)).toMatchObject({ task: 'Design' })
    }
  })
})
