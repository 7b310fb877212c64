import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../support/ports.js'
import {
  bin,
  cleanEnvironment,
  isInstalled,
  root,
  run,
  startProcess,
  temporaryDirectory,
} from '../support/process.js'
import { canInjectFaults } from '../support/strace.js'

const unit = readFileSync(join(root, 'docs', 'hosting', 'tt.service'), 'utf8')
const missing = isInstalled('systemd-analyze') ? undefined : 'systemd-analyze is not installed'

/** Writes the unit with the program of this checkout, and returns its path. */
function writeUnit(text = unit): string {
  const file = join(temporaryDirectory(), 'tt.service')
  writeFileSync(file, text.replace('/usr/local/bin/tt', bin))
  return file
}

test('systemd-analyze verifies the unit without a message', async ({ skip }) => {
  skip(missing !== undefined, missing)
  const verify = (file: string) => run('systemd-analyze', ['verify', '--man=no', file])
  expect(await verify(writeUnit())).toMatchObject({ status: 0, stdout: '', stderr: '' })
  const { stderr } = await verify(writeUnit(unit.replace('Restart=always', 'Restart=often')))
  expect(stderr).toContain('restart')
})

test('the exposure of the unit is at most 1.5 of 10', async ({ skip }) => {
  skip(missing !== undefined, missing)
  const security = (file: string) =>
    run('systemd-analyze', ['security', '--offline=true', '--no-pager', '--threshold=15', file])
  const { status, stdout } = await security(writeUnit())
  expect(status, stdout).toBe(0)
  expect(await security(writeUnit(unit.replace(/^Protect.*$/gm, '')))).not.toMatchObject({ status: 0 })
})

test('the service works with the system calls that the unit allows', async ({ skip }) => {
  skip(missing !== undefined, missing)
  skip(!canInjectFaults, 'strace cannot trace processes here')
  const home = temporaryDirectory()
  const port = String(await findFreePort())
  const blocked = await blockedCalls()
  expect(blocked).toEqual(expect.arrayContaining(['?chown', '?mount', '?ptrace']))
  const faults = ['-f', '-qq', '-o', '/dev/null', '-e', `inject=${blocked.join(',')}:error=EPERM`]
  const serve = [process.execPath, bin, 'serve', '--port', port, '--database', `sqlite:${home}/tt.db`]
  const { child, exit } = startProcess('strace', [...faults, ...serve], {
    env: cleanEnvironment({ TT_HOME: home }),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const status = async (path: string) =>
    (await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined))?.status
  await expect.poll(() => status('/readyz')).toBe(200)
  expect(await status('/api/v1/companies')).toBe(401)
  // strace ignores SIGTERM.
  const { stdout } = await run('pgrep', ['--parent', String(child.pid)])
  process.kill(Number(stdout), 'SIGTERM')
  expect(await exit).toMatchObject({ status: 0 })
})

/** Returns the system calls that the filters of the unit block, in the form of strace for names that it may not know. */
async function blockedCalls(): Promise<string[]> {
  const { stdout } = await run('systemd-analyze', ['syscall-filter', '--no-pager'])
  const groups = new Map<string, string[]>()
  for (const block of stdout.split(/^(?=@)/m)) {
    const [name = '', ...members] = block.split('\n').map((line) => line.trim())
    groups.set(
      name,
      members.filter((member) => /^@?\w/.test(member)),
    )
  }
  const expand = (name: string): string[] =>
    name.startsWith('@') ? (groups.get(name) ?? []).flatMap(expand) : [name]
  const allowed = new Set<string>()
  for (const [, filter = ''] of unit.matchAll(/^SystemCallFilter=(.*)$/gm))
    for (const call of filter.replace('~', '').split(' ').flatMap(expand))
      if (filter.startsWith('~')) allowed.delete(call)
      else allowed.add(call)
  const known = new Set([...groups.keys()].flatMap(expand))
  return [...known].filter((call) => !allowed.has(call)).map((call) => `?${call}`)
}
