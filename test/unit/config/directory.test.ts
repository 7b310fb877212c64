import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { directorySettings } from '../../../src/config/directory.js'
import { TtError } from '../../../src/errors.js'
import { bound } from '../../support/bound.js'
import { run, temporaryDirectory } from '../../support/process.js'
import { script } from '../../support/script.js'

/** A tree with a deep directory in it, and directory files where they are named. */
function tree(files: Record<string, unknown>): { top: string; deep: string } {
  const top = temporaryDirectory()
  const deep = join(top, 'a', 'b', 'c')
  mkdirSync(deep, { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    writeFileSync(join(top, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return { top, deep }
}

function refusal(deep: string): TtError {
  try {
    throw new Error(`It was read: ${JSON.stringify(directorySettings(deep))}`)
  } catch (error) {
    if (error instanceof TtError) return error
    throw error
  }
}

test('where there is no directory file, there are no settings', () => {
  expect(directorySettings(tree({}).deep)).toBeUndefined()
  expect(directorySettings('/')).toBeUndefined()
  expect(directorySettings(join(tree({}).deep, 'gone', 'for', 'good'))).toBeUndefined()
})

test('the file is found upwards, and says where it was found', () => {
  const settings = { profile: 'acme', task: 'Website/Design', notes: 'page' }
  const { top, deep } = tree({ '.tt.json': settings })
  expect(directorySettings(deep)).toEqual({ path: join(top, '.tt.json'), ...settings, ignored: [] })
  expect(directorySettings(top)).toEqual({ path: join(top, '.tt.json'), ...settings, ignored: [] })
})

test('the nearest file counts alone', () => {
  const { top, deep } = tree({
    '.tt.json': { profile: 'far', task: 'Far' },
    'a/b/.tt.json': { profile: 'near' },
  })
  expect(directorySettings(deep)).toEqual({ path: join(top, 'a/b/.tt.json'), profile: 'near', ignored: [] })
  expect(directorySettings(join(top, 'a'))).toMatchObject({ profile: 'far', task: 'Far' })
})

test('an address, a credential or a command is told of and never used', () => {
  const evil = {
    base_url: 'https://evil.example/api/v1',
    auth_url: 'https://evil.example',
    client_id: 'evil',
    client_secret: 'evil',
    token: 'evil',
    command: 'evil',
    insecure_http: true,
    storage: 'file',
    profiles: { acme: { base_url: 'https://evil.example/api/v1' } },
    editor: ['evil'],
    Profile: 'evil',
  }
  const { top, deep } = tree({ '.tt.json': { ...evil, profile: 'acme' } })
  expect(directorySettings(deep)).toEqual({
    path: join(top, '.tt.json'),
    profile: 'acme',
    ignored: Object.keys(evil),
  })
})

test('names that every object knows are no way in', () => {
  const text = '{"__proto__":{"profile":"evil"},"constructor":"evil","toString":"evil","task":"Design"}'
  const found = directorySettings(tree({ '.tt.json': text }).deep)
  expect(found).toMatchObject({ task: 'Design', ignored: ['__proto__', 'constructor', 'toString'] })
  expect(found?.profile).toBeUndefined()
  expect(Object.getPrototypeOf(found)).toBe(Object.prototype)
})

test.each([
  ['', 'is not JSON'],
  ['{"profile":', 'is not JSON'],
  ['profile = acme', 'is not JSON'],
  ['[]', 'is not a JSON object'],
  ['null', 'is not a JSON object'],
  ['"acme"', 'is not a JSON object'],
  ['{"profile":7}', 'has a "profile" that is no text'],
  ['{"profile":""}', 'has a "profile" that is no text'],
  ['{"task":["Design"]}', 'has a "task" that is no text'],
  ['{"notes":null}', 'has a "notes" that is no text'],
])('the text %j is refused, and the file is named', (text, flaw) => {
  const { top, deep } = tree({ 'a/.tt.json': text })
  expect(refusal(deep)).toMatchObject({
    code: 'usage',
    message: `The directory file ${join(top, 'a/.tt.json')} ${flaw}.`,
    hint: expect.stringContaining('"profile", "task" and "notes"'),
  })
})

test('a byte order mark, as some editors of Windows leave, is no damage', () => {
  expect(directorySettings(tree({ '.tt.json': '\ufeff{"profile":"acme"}' }).deep)).toMatchObject({
    profile: 'acme',
  })
})

test('a directory of that name is refused, and named', () => {
  const { top, deep } = tree({})
  mkdirSync(join(top, '.tt.json'))
  expect(refusal(deep)).toMatchObject({
    code: 'usage',
    message: `The directory file ${join(top, '.tt.json')} cannot be read (EISDIR).`,
  })
})

test('a pipe of that name is refused, and not waited for', async () => {
  const { top, deep } = tree({})
  await run('mkfifo', [join(top, '.tt.json')])
  const reader = await script(`
    import { directorySettings } from './src/config/directory.ts'
    try { directorySettings(process.argv[2]) } catch ({ code, message }) { console.log(code, message) }
  `)
  const outcome = await run('timeout', ['5', process.execPath, reader, deep])
  expect(outcome).toMatchObject({ status: 0, stdout: expect.stringContaining('is not JSON') })
})

test('a file that this user may not read is refused, and named', async ({ skip }) => {
  if (bound === undefined) return skip('root may read everything: the closed file is not tried')
  const { top, deep } = tree({ '.tt.json': {} })
  chmodSync(join(top, '.tt.json'), 0o000)
  const reader = await script(`
    import { directorySettings } from './src/config/directory.ts'
    try { directorySettings(process.argv[2]) } catch ({ code, message }) { console.log(code, message) }
  `)
  const outcome = await run('env', [...bound, process.execPath, reader, deep])
  expect(outcome.stdout).toBe(`usage The directory file ${join(top, '.tt.json')} cannot be read (EACCES).\n`)
})
