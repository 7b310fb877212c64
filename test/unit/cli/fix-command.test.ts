import { expect, test } from 'vitest'
import { recordCommand } from '../../../src/cli/fix-command.js'
import { quoteWord } from '../../../src/lib/text/shell-quoting.js'
import { createTestCli } from '../../support/test-cli.js'

test.each([
  [7, 'tt edit 7 --to 9:00'],
  ['~3', "tt edit '~3' --to 9:00"],
  ['-7', 'tt edit --to 9:00 -- -7'],
  ['-x y', "tt edit --to 9:00 -- '-x y'"],
])('the command for the record %j is %s', (id, command) => {
  expect(recordCommand('tt edit', id, ' --to 9:00', quoteWord)).toBe(command)
})

test('the parser reads an ID after `--` as an argument, never as an option', { tags: 'slow' }, async () => {
  const cli = createTestCli()
  await cli.json('add', 'Website/Design', '--from', '8:00', '--for', '5m')
  const line = recordCommand('edit', '--yes', ' --notes x').split(' ')
  expect(await cli.run(...line)).toMatchObject({
    stderr: expect.stringContaining('There is no entry --yes.'),
  })
})
