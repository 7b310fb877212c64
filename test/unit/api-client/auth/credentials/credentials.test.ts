import { spawn } from 'node:child_process'
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
import {
  type Credentials,
  openFileCredentials,
} from '../../../../../src/api-client/auth/credentials/credentials.js'
import { bundleScript } from '../../../../support/bundle-script.js'
import { run, temporaryDirectory } from '../../../../support/process.js'
import { rejectionOf } from '../../test-server.js'

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

function openStore() {
  const home = temporaryDirectory()
  const store = openFileCredentials('acme', { config: home, data: home, state: home })
  return { home, store, path: store.location, directory: dirname(store.location) }
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('the store reads, replaces and removes the credentials, and a verification leaves no file', async () => {
  const { store, path, home, directory } = openStore()
  await store.remove()
  expect(readdirSync(home)).toEqual([])
  expect(path).toBe(join(home, 'credentials', 'acme.json'))
  expect(await store.read()).toBeUndefined()
  await store.write(first)
  await store.verify()
  expect(readdirSync(directory)).toEqual(['acme.json'])
  expect(await store.read()).toEqual(first)
  await store.write(second)
  expect(await store.read()).toEqual(second)
  expect(readFileSync(path, 'utf8')).not.toContain('first-secret')
  await store.remove()
  expect(await store.read()).toBeUndefined()
  await store.remove()
})

test('only the owner can access the file and its directory', async () => {
  for (const wasOpen of [false, true]) {
    const { store, path, directory } = openStore()
    if (wasOpen) {
      mkdirSync(directory, { mode: 0o755 })
      chmodSync(directory, 0o755)
      writeFileSync(path, '{}')
      chmodSync(path, 0o644)
    }
    await store.write(first)
    expect([modeOf(path), modeOf(directory)]).toEqual(['600', '700'])
  }
})

test('reading does not follow a symbolic link, and writing replaces it and leaves its target unchanged', async () => {
  const { store, path, directory, home } = openStore()
  const target = join(home, 'target.json')
  writeFileSync(target, JSON.stringify(second), { mode: 0o600 })
  mkdirSync(directory, { mode: 0o700 })
  symlinkSync(target, path)
  expect(await rejectionOf(store.read())).toMatchObject({
    code: 'failure',
    message: `The credentials in ${path} are not used: the file is a link.`,
    hint: expect.stringContaining('Remove the link'),
  })
  await store.write(first)
  expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual(second)
  expect(await store.read()).toEqual(first)
})

test.each([0o640, 0o604, 0o610, 0o622])(
  'a file with mode %o is not used, and the hint names chmod',
  async (mode) => {
    const { store, path } = openStore()
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

test('a file of another user is not used', async ({ skip }) => {
  skip(!asRoot, 'only root can give a file away')
  const { store, path } = openStore()
  await store.write(first)
  chownSync(path, 65_534, 65_534)
  expect((await rejectionOf(store.read())).message).toBe(
    `The credentials in ${path} are not used: the file belongs to another user.`,
  )
})

test('a directory in place of the file is an error', async () => {
  const { store, path } = openStore()
  mkdirSync(path, { recursive: true })
  expect((await rejectionOf(store.read())).message).toContain('the file is not a regular file')
  expect(await rejectionOf(store.write(first))).toMatchObject({ code: 'failure' })
  const hint = 'Remove the file yourself.'
  expect(await rejectionOf(store.remove())).toMatchObject({ code: 'failure', hint })
})

test.each([
  ...['', '{"method":"key","key":"sesame"', '{"method":"key","secret":"sesame"}', '["sesame"]'],
  ...['{"method":"oauth","access_token":"sesame"}', '{"method":"sesame"}'],
])('the error for the damaged file %j does not show its content', async (text) => {
  const { store, path } = openStore()
  await store.write(first)
  writeFileSync(path, text)
  const failure = await rejectionOf(store.read())
  expect(failure).toMatchObject({ code: 'failure', nextStep: { action: 'sign_in' } })
  expect(failure.message).toContain(path)
  expect(`${failure.message} ${failure.hint} ${failure.stack} ${failure.cause}`).not.toContain('sesame')
})

test('a temporary file of a killed process does not affect the store', async () => {
  const { store, path } = openStore()
  await store.write(first)
  writeFileSync(`${path}.0123456789ab.tmp`, '{"method":"key","key":"ha')
  expect(await store.read()).toEqual(first)
  await store.write(second)
  expect(await store.read()).toEqual(second)
})

test('killing a writer leaves the old or the new credentials complete', { tags: 'slow' }, async () => {
  const { store, home } = openStore()
  const writer = await bundleScript(`
    import { openFileCredentials } from './src/api-client/auth/credentials/credentials.ts'
    const home = ${JSON.stringify(home)}
    const store = openFileCredentials('acme', { config: home, data: home, state: home })
    process.stdout.write('ready')
    for (let turn = 0; ; turn++) await store.write({ method: 'key', key: String(turn % 10).repeat(50_000) })
  `)
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

test('a failed write reports the path and keeps the old credentials', { tags: 'slow' }, async ({ skip }) => {
  skip(!asRoot, 'only root can become a user who may not write')
  const { store, path, directory, home } = openStore()
  await store.write(first)
  // A user who owns the file, but not its directory, so that chmod fails.
  chmodSync(home, 0o755)
  chmodSync(directory, 0o755)
  chownSync(path, 65_534, 65_534)
  const other = await bundleScript(`
    import { openFileCredentials } from './src/api-client/auth/credentials/credentials.ts'
    import { writePrivateFile } from './src/lib/private-file.ts'
    const home = ${JSON.stringify(home)}
    const store = openFileCredentials('acme', { config: home, data: home, state: home })
    const outcomeOf = async (work) => {
      try { return (await work()) ?? null } catch (error) { return [error.code, error.message, error.hint] }
    }
    console.log(JSON.stringify([
      await outcomeOf(() => store.write({ method: 'key', key: 'new-secret' })),
      await outcomeOf(() => store.verify()),
      await outcomeOf(() => store.remove()),
      await outcomeOf(async () => writePrivateFile(store.location, 'new-secret')),
      await outcomeOf(() => store.read()),
    ]))
  `)
  const outcome = await run(process.execPath, [other], { uid: 65_534, gid: 65_534 })
  expect(outcome).toMatchObject({ status: 0, stderr: '' })
  const problem = `Cannot restrict the directory ${directory} to its owner.`
  const notRestricted = ['failure', problem, expect.any(String)]
  const notWritten = expect.stringContaining(`${path} could not be written: EACCES`)
  expect(JSON.parse(outcome.stdout)).toEqual([
    notRestricted,
    notRestricted,
    ['failure', `Cannot remove ${path}.`, 'Remove the file yourself.'],
    ['failure', notWritten, expect.stringContaining('unchanged')],
    first,
  ])
  expect(readdirSync(directory)).toEqual(['acme.json'])
})

test('a file in place of the directory is an error', async () => {
  const { store, directory } = openStore()
  writeFileSync(directory, '')
  for (const work of [store.write(first), store.verify()])
    expect(await rejectionOf(work)).toMatchObject({ code: 'failure' })
})
