import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bin, cleanEnvironment, run, temporaryDirectory } from '../support/process.js'
import { unprivilegedArguments } from '../support/unprivileged.js'

const tt = `"${process.execPath}" "${bin}"`

test('commands work in a working directory that has been removed', async () => {
  const directory = join(temporaryDirectory(), 'gone')
  mkdirSync(directory)
  const done = await run('sh', ['-c', `rmdir "${directory}" && ${tt} start Website/Design --json`], {
    cwd: directory,
    env: cleanEnvironment({ TT_HOME: temporaryDirectory() }),
  })
  expect(done.stderr).not.toContain('error')
  expect(done).toMatchObject({ status: 0, stdout: expect.stringContaining('"running": true') })
})

test.each([
  'backup x.tar.gz',
  'report -o x.html',
  'export -o x.json',
  'import x.csv',
  'restore x.tar.gz',
  'alias import x.json',
])('tt %s in a working directory that has been removed names the problem', async (line) => {
  const directory = join(temporaryDirectory(), 'gone')
  mkdirSync(directory)
  const failed = await run('sh', ['-c', `rmdir "${directory}" && ${tt} ${line} </dev/null`], {
    cwd: directory,
    env: cleanEnvironment({ TT_HOME: temporaryDirectory() }),
  })
  expect(failed).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /error: The working directory does not exist\.\nChange to another directory, or give an absolute path\.\n$/,
    ),
  })
})

test('commands work below a directory that the user cannot read', async ({ skip }) => {
  if (unprivilegedArguments === undefined) return skip('root can read every directory')
  const home = temporaryDirectory()
  const closed = temporaryDirectory()
  const directory = join(closed, 'deep')
  mkdirSync(directory)
  onTestFinished(() => chmodSync(closed, 0o700))
  const typed = `chmod 000 "${closed}" && ${tt} start Website/Design --json`
  const done = await run('env', [...unprivilegedArguments, 'sh', '-c', typed], {
    cwd: directory,
    env: cleanEnvironment({ TT_HOME: home }),
  })
  expect(done.stderr).not.toContain('error')
  expect(done).toMatchObject({ status: 0, stdout: expect.stringContaining('"running": true') })
})
