import { mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cleanEnvironment, root, run, temporaryDirectory } from '../support/process.js'

test('the line of the README builds and links tt in a clean clone and starts a timer, and its tour goes on from there', async () => {
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
    npm_config_audit: 'false', // Would wait for a server when offline.
    npm_config_update_notifier: 'false',
    PATH: `${join(prefix, 'bin')}:${process.env.PATH}`,
  })
  const shell = (line: string, cwd = clone) => run('sh', ['-c', line], { cwd, env })

  const cloned = await shell(`git clone --quiet "${root}" "${clone}"`, directory)
  expect(cloned).toMatchObject({ status: 0 })

  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, line = ''] = /^npm ci && (npm link && .*)$/m.exec(readme) ?? []
  // Instead of `npm ci`, which takes most of the time and was run in the checkout.
  symlinkSync(realpathSync(join(root, 'node_modules')), join(clone, 'node_modules'))
  const started = await shell(`npm run prepare && ${line}`)
  expect(started.stderr).toContain('local workspace')
  expect(started.stderr).toContain('`tt login`')
  expect(started.stderr).toMatch(/Started Website \/ Design at \d\d:\d\d\./)
  expect(started.status).toBe(0)

  const tour = [...readme.matchAll(/^\$ (.*)$/gm)].flatMap(([, command]) => command ?? [])
  expect(tour.slice(0, 2)).toEqual(['tt status', 'tt stop'])
  for (const command of tour) {
    const { status, stdout, stderr } = await shell(command, home)
    // The one typo.
    expect({ command, stderr, status }).toMatchObject({ status: command.includes('Webiste') ? 2 : 0 })
    if (command === 'tt status') expect(stdout).toContain('Website\tDesign\tfirst page')
    if (command === 'tt stop') expect(stderr).toMatch(/^Stopped Website \/ Design: \d+[sm]/)
  }
  const entries = JSON.parse((await shell('tt log --json', home)).stdout)
  expect(entries).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ project: 'Website', task: 'Design', notes: 'first page', running: false }),
      expect.objectContaining({ project: 'Website', task: 'Design', running: true }),
      expect.objectContaining({ client: 'Acme', project: 'App', task: 'Review', duration_seconds: 6300 }),
    ]),
  )
  expect(readFileSync(join(home, 'week.csv'), 'utf8')).toContain('first page')
})
