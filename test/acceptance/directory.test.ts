import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bin, cleanEnvironment, run, temporaryDirectory } from '../support/process.js'

const tt = `"${process.execPath}" "${bin}"`

test('in a directory that somebody has removed, time is tracked all the same', async () => {
  const directory = join(temporaryDirectory(), 'gone')
  mkdirSync(directory)
  const done = await run('sh', ['-c', `rmdir "${directory}" && ${tt} start Website/Design --json`], {
    cwd: directory,
    env: cleanEnvironment({ TT_HOME: temporaryDirectory() }),
  })
  expect(done.stderr).not.toContain('error')
  expect(done).toMatchObject({ status: 0, stdout: expect.stringContaining('"running": true') })
})

test('below a directory that this user may not look into, time is tracked all the same', async ({ skip }) => {
  // Root may look everywhere, so root tries it as somebody else.
  const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  const readable = spawnSync(process.execPath, [bin, '--version'], nobody).status === 0
  skip(!readable, 'another user cannot read this checkout: the closed directory is not tried')
  const home = temporaryDirectory()
  const closed = temporaryDirectory()
  const directory = join(closed, 'deep')
  mkdirSync(directory)
  onTestFinished(() => chmodSync(closed, 0o700))
  if (nobody.uid !== undefined)
    for (const own of [home, closed, directory]) chownSync(own, nobody.uid, nobody.gid)
  const done = await run('sh', ['-c', `chmod 000 "${closed}" && ${tt} start Website/Design --json`], {
    ...nobody,
    cwd: directory,
    env: cleanEnvironment({ TT_HOME: home }),
  })
  expect(done.stderr).not.toContain('error')
  expect(done).toMatchObject({ status: 0, stdout: expect.stringContaining('"running": true') })
})
