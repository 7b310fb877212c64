import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cleanEnvironment, root, run, temporaryDirectory } from '../support/process.js'

test('a newcomer tracks time from a clean clone with the first command line of the README', async () => {
  const place = temporaryDirectory()
  const [clone, home, prefix] = ['clone', 'home', 'prefix'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(home)
  const env = cleanEnvironment({
    HOME: home,
    npm_config_prefix: prefix,
    // The certificates by which this machine trusts its registry, where it has some of its own.
    ...(process.env.NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS } : {}),
    npm_config_audit: 'false', // Asks a server that an offline machine waits for.
    npm_config_update_notifier: 'false',
    npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? home, '.npm'),
    PATH: `${join(prefix, 'bin')}:${process.env.PATH}`,
  })
  const shell = (line: string, cwd = clone) => run('sh', ['-c', line], { cwd, env })

  const cloned = await shell(`git clone --quiet "${root}" "${clone}"`, place)
  expect(cloned).toMatchObject({ status: 0 })

  const started = await shell('npm ci && npm link && tt start Website/Design --notes "first page"')
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
