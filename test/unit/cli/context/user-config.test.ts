import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { Terminal } from '../../../../src/cli/context/terminal.js'
import { UserConfig, type UserConfigParts } from '../../../../src/cli/context/user-config.js'
import { AfterOutput } from '../../../../src/cli/context/with-context.js'
import { temporaryDirectory } from '../../../support/process.js'
import { createTestHost, unreadText } from '../../../support/test-host.js'

/** Creates the configuration of a command in a directory with these files. */
function createConfig(files: Record<string, string>, parts: Partial<UserConfigParts> = {}) {
  const home = temporaryDirectory()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
  const stderr = new PassThrough()
  const host = createTestHost({ stderr, env: { TT_HOME: home }, cwd: () => home })
  const { options = {} } = parts
  const terminal = new Terminal(host, options, new AfterOutput())
  return {
    config: new UserConfig({ host, options, terminal, allowsUnreadableSettings: false, ...parts }),
    warnings: () => unreadText(stderr).replaceAll(home, ''),
  }
}

test('warns about ignored keys of the directory file once', () => {
  const { config, warnings } = createConfig({ '.tt.json': '{"task":"Design","color":"red"}' })
  expect([config.directory?.task, config.directory?.task]).toEqual(['Design', 'Design'])
  expect(warnings()).toBe('Ignored in /.tt.json: color. Only profile, task and notes are read there.\n')
})

test('prints which values come from the directory file, except with a template', () => {
  const files = { '.tt.json': '{"task":"Design"}' }
  const table = createConfig(files)
  table.config.fromDirectory('task', 'notes')
  expect(table.warnings()).toBe('Using task from /.tt.json.\n')
  const line = createConfig(files, { options: { template: '{label}' } })
  expect(line.config.fromDirectory('task')?.task).toBe('Design')
  expect(line.warnings()).toBe('')
})

test('fails when config.json cannot be read, unless the command allows it', async () => {
  const files = { 'config.json': '{' }
  await expect(createConfig(files).config.settings()).rejects.toMatchObject({ code: 'usage' })
  const { config, warnings } = createConfig(files, { allowsUnreadableSettings: true })
  expect(await config.settings()).toMatchObject({ weekStart: 1 })
  expect(await config.uncheckedSetting('prompt_file')).toBeUndefined()
  expect(warnings()).toBe('The settings file /config.json is not JSON. The default settings are used.\n')
})

test('displays durations in the default format, without a warning, when config.json cannot be read', () => {
  const formatted = (text: string) => {
    const { config, warnings } = createConfig({ 'config.json': text })
    return [config.durations.format(5040), warnings()]
  }
  expect(formatted('{')).toEqual(['1h 24m', ''])
  expect(formatted('{"duration_format":"1:24"}')).toEqual(['1:24', ''])
})
