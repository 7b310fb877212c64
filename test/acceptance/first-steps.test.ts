import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cleanEnvironment, root, run, temporaryDirectory } from '../support/process.js'

test('the command line of the README installs tt from a clean clone and starts a timer', async () => {
  const directory = temporaryDirectory()
  const [clone, home, prefix] = ['clone', 'home', 'prefix'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(home)
  const env = cleanEnvironment({
    HOME: home,
    npm_config_prefix: prefix,
    // Certificates of a registry with a private authority.
    ...(process.env.NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS } : {}),
    npm_config_audit: 'false', // Would wait for a server when offline.
    npm_config_update_notifier: 'false',
    npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? home, '.npm'),
    PATH: `${join(prefix, 'bin')}:${process.env.PATH}`,
  })
  const shell = (line: string, cwd = clone) => run('sh', ['-c', line], { cwd, env })

  const cloned = await shell(`git clone --quiet "${root}" "${clone}"`, directory)
  expect(cloned).toMatchObject({ status: 0 })

  const [line = ''] = /^npm ci && npm link && .*$/m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
  const started = await shell(line)
  expect(started.stderr).toContain('local workspace')
  expect(started.stderr).toContain('`tt login`')
  expect(started.stderr).toMatch(/Started Website \/ Design at \d\d:\d\d\./)
  expect(started.status).toBe(0)

  expect((await shell('tt status', home)).stdout).toContain('first page')
  expect(await shell('tt stop', home)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('first page'),
    stderr: expect.stringMatching(/^Stopped Website \/ Design: \d+[sm]/),
  })
  expect((await shell('tt log', home)).stdout).toContain('Website\tDesign\tfirst page')
  const [entry] = JSON.parse((await shell('tt log --json', home)).stdout)
  expect(entry).toMatchObject({ project: 'Website', task: 'Design', notes: 'first page', running: false })
})
