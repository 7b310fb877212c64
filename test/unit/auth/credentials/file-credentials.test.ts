import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Credentials } from '../../../../src/auth/credentials/credentials.js'
import { openFileCredentials } from '../../../../src/auth/credentials/file-credentials.js'
import { bundleScript } from '../../../support/bundle-script.js'
import { run, temporaryDirectory } from '../../../support/process.js'
import { rejectionOf } from '../../api/test-server.js'

const first: Credentials = { method: 'key', key: 'first-secret' }
const second: Credentials = {
  method: 'oauth',
  access_token: 'access-secret',
  refresh_token: null,
  expires_at: null,
  scope: 'service:read',
  client_secret: 'grüße "quoted" 🎉',
}

const asRoot = process.getuid?.() === 0

function opened() {
  const home = temporaryDirectory()
  const store = openFileCredentials('acme', { config: home, data: home, state: home })
  return { home, store, path: store.location, directory: dirname(store.location) }
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('what is written is read again, replaced as a whole, and gone after a removal', async () => {
  const { store, path, home } = opened()
  expect(path).toBe(join(home, 'credentials', 'acme.json'))
  expect(await store.read()).toBeUndefined()
  await store.write(first)
  expect(await store.read()).toEqual(first)
  await store.write(second)
  expect(await store.read()).toEqual(second)
  expect(readFileSync(path, 'utf8')).not.toContain('first-secret')
  await store.remove()
  expect(await store.read()).toBeUndefined()
  await store.remove()
})

test('removing what was never there does nothing', async () => {
  const { store, home } = opened()
  await store.remove()
  expect(readdirSync(home)).toEqual([])
})

test('the file is its owner’s alone, in a directory that is too', async () => {
  const { store, path, directory } = opened()
  await store.write(first)
  expect([modeOf(path), modeOf(directory)]).toEqual(['600', '700'])
})

test('a directory and a file that others could read are closed when something is written', async () => {
  const { store, path, directory } = opened()
  mkdirSync(directory, { mode: 0o755 })
  chmodSync(directory, 0o755)
  writeFileSync(path, '{}')
  chmodSync(path, 0o644)
  await store.write(first)
  expect([modeOf(path), modeOf(directory)]).toEqual(['600', '700'])
})

test('a link is not followed to be read', async () => {
  const { store, path, directory, home } = opened()
  const elsewhere = join(home, 'elsewhere.json')
  writeFileSync(elsewhere, JSON.stringify(first), { mode: 0o600 })
  mkdirSync(directory, { mode: 0o700 })
  symlinkSync(elsewhere, path)
  expect(await rejectionOf(store.read())).toMatchObject({
    code: 'failure',
    message: `The credentials in ${path} are not used: the file is a link.`,
    hint: expect.stringContaining('Remove the link'),
  })
})

test('a link is replaced when something is written, and what it points to stays', async () => {
  const { store, path, directory, home } = opened()
  const elsewhere = join(home, 'elsewhere.json')
  writeFileSync(elsewhere, 'theirs')
  mkdirSync(directory, { mode: 0o700 })
  symlinkSync(elsewhere, path)
  await store.write(first)
  expect(readFileSync(elsewhere, 'utf8')).toBe('theirs')
  expect(await store.read()).toEqual(first)
})

test.each([0o640, 0o604, 0o660, 0o622, 0o610])(
  'a file of mode %o is not used, and chmod is named',
  async (mode) => {
    const { store, path } = opened()
    await store.write(first)
    chmodSync(path, mode)
    const failure = await rejectionOf(store.read())
    expect(failure).toMatchObject({
      code: 'failure',
      message: `The credentials in ${path} are not used: the file is accessible to other users.`,
      hint: expect.stringContaining(`chmod 600 "${path}"`),
    })
    expect(JSON.stringify(failure)).not.toContain('first-secret')
  },
)

test('a file of somebody else is not used', async ({ skip }) => {
  skip(!asRoot, 'only root can give a file away')
  const { store, path } = opened()
  await store.write(first)
  chownSync(path, 65_534, 65_534)
  expect((await rejectionOf(store.read())).message).toBe(
    `The credentials in ${path} are not used: the file belongs to another user.`,
  )
})

test('a directory in the place of the file is not used', async () => {
  const { store, path } = opened()
  mkdirSync(path, { recursive: true })
  expect((await rejectionOf(store.read())).message).toContain('the file is not a regular file')
  expect(await rejectionOf(store.write(first))).toMatchObject({ code: 'failure' })
  expect(await rejectionOf(store.remove())).toMatchObject({
    code: 'failure',
    hint: 'Remove the file yourself.',
  })
})

test('a pipe in the place of the file is not waited for', async () => {
  const { store, path, directory } = opened()
  mkdirSync(directory)
  expect(await run('mkfifo', ['-m', '600', path])).toMatchObject({ status: 0 })
  expect((await rejectionOf(store.read())).message).toContain('the file is not a regular file')
})

test.each([
  '',
  'sesame',
  '{"method":"key","key":"sesame"',
  '{"method":"key","secret":"sesame"}',
  '{"method":"oauth","access_token":"sesame"}',
  '{"method":"sesame"}',
  '["sesame"]',
  'null',
])('a damaged file, %j, is told without its content', async (text) => {
  const { store, path } = opened()
  await store.write(first)
  writeFileSync(path, text)
  const failure = await rejectionOf(store.read())
  expect(failure).toMatchObject({ code: 'failure', nextStep: { action: 'sign_in' } })
  expect(failure.message).toContain(path)
  expect(`${failure.message} ${failure.hint} ${failure.stack} ${failure.cause}`).not.toContain('sesame')
})

test('what a killed process left behind is in nobody’s way', async () => {
  const { store, path } = opened()
  await store.write(first)
  writeFileSync(`${path}.0123456789ab.tmp`, '{"method":"key","key":"ha')
  expect(await store.read()).toEqual(first)
  await store.write(second)
  expect(await store.read()).toEqual(second)
})

test('whatever moment a writer is killed at, the old or the new credentials are whole', async () => {
  const { store, home } = opened()
  const writer = await bundleScript(`
    import { openFileCredentials } from './src/auth/credentials/file-credentials.ts'
    const home = ${JSON.stringify(home)}
    const store = openFileCredentials('acme', { config: home, data: home, state: home })
    process.stdout.write('ready')
    for (let turn = 0; ; turn++) await store.write({ method: 'key', key: String(turn % 10).repeat(50_000) })
  `)
  const { spawn } = await import('node:child_process')
  for (let kill = 0; kill < 10; kill++) {
    const child = spawn(process.execPath, [writer], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = new Promise((resolve) => child.on('close', resolve))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
    child.kill('SIGKILL')
    await ended
    const found = await store.read()
    if (found !== undefined) expect(found).toMatchObject({ key: expect.stringMatching(/^(\d)\1{49999}$/) })
  }
  expect(await store.read()).toBeDefined()
})

test('when nothing can be written, that is told and the old credentials stay', async ({ skip }) => {
  skip(!asRoot, 'only root can become a user who may not write')
  const { store, path, directory, home } = opened()
  await store.write(first)
  // A user who owns the file, in a directory that lets nobody write: chmod is refused.
  chmodSync(home, 0o755)
  chmodSync(directory, 0o755)
  chownSync(path, 65_534, 65_534)
  const other = await bundleScript(`
    import { openFileCredentials } from './src/auth/credentials/file-credentials.ts'
    import { writePrivateFile } from './src/lib/private-file.ts'
    const home = ${JSON.stringify(home)}
    const store = openFileCredentials('acme', { config: home, data: home, state: home })
    const told = async (work) => {
      try { return (await work()) ?? null } catch (error) { return [error.code, error.message, error.hint] }
    }
    console.log(JSON.stringify([
      await told(() => store.write({ method: 'key', key: 'new-secret' })),
      await told(() => store.verify()),
      await told(() => store.remove()),
      await told(async () => writePrivateFile(store.location, 'new-secret')),
      await told(() => store.read()),
    ]))
  `)
  const outcome = await run(process.execPath, [other], { uid: 65_534, gid: 65_534 })
  expect(outcome).toMatchObject({ status: 0, stderr: '' })
  const notClosed = [
    'failure',
    `Cannot restrict the directory ${directory} to its owner.`,
    expect.any(String),
  ]
  expect(JSON.parse(outcome.stdout)).toEqual([
    notClosed,
    notClosed,
    ['failure', `Cannot remove ${path}.`, 'Remove the file yourself.'],
    [
      'failure',
      expect.stringContaining(`${path} could not be written: EACCES`),
      expect.stringContaining('unchanged'),
    ],
    first,
  ])
  expect(readdirSync(directory)).toEqual(['acme.json'])
})

test('a file in the place of the directory is told, and nothing is stored', async () => {
  const { store, directory } = opened()
  writeFileSync(directory, '')
  expect(await rejectionOf(store.write(first))).toMatchObject({ code: 'failure' })
  expect(await rejectionOf(store.verify())).toMatchObject({ code: 'failure' })
})

test('the proof leaves nothing behind, and keeps what is stored', async () => {
  const { store, directory } = opened()
  await store.verify()
  expect(readdirSync(directory)).toEqual([])
  await store.write(first)
  await store.verify()
  expect(readdirSync(directory)).toEqual(['acme.json'])
  expect(await store.read()).toEqual(first)
})
