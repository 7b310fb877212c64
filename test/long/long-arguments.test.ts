import { describe, expect, test } from 'vitest'
import { share } from '../support/share.js'
import { createTestCli } from '../support/test-cli.js'

/** Close to the maximum length of an argument on Linux. */
const length = 100_000

/** Command lines in which X is the long argument. */
const lines: string[][] = [
  ['X'],
  ['--X'],
  ['-X'],
  ['help', 'X'],
  ['start', 'X'],
  ['start', 'Website/X'],
  ['start', 'design', '--at', 'X'],
  ['status', '--profile', 'X'],
  ['add', 'design', '--from', 'X', '--for', '5m'],
  ['add', 'design', '--from', '8:00', '--for', 'X'],
  ['show', 'X'],
  ['log', '--since', 'X'],
  ['log', '--where', 'X'],
  ['log', '--fields', 'X'],
  ['log', '--template', '{X}'],
  ['log', '--limit', 'X'],
  ['report', '--by', 'X'],
  ['report', '--round', 'X'],
  ['expenses', 'add', 'X'],
  ['expenses', 'add', '1', '--type', 'X'],
  ['expenses', 'add', '1', '--project', 'X'],
  ['expenses', 'add', '1', '--field', 'X'],
  ['config', 'get', 'X'],
  ['config', 'set', 'holidays', 'X'],
  ['config', 'set', 'working_hours', 'X'],
  ['sync', 'retry', 'X'],
  ['sync', 'X'],
  ['api', 'X', '/companies'],
  ['api', 'GET', 'X'],
  ['admin', 'user', 'add', 'X'],
]

const pieces = share('long arguments', ['x', '1', 'a ', 'x/', 'é'])

describe.each(pieces)('an argument of %j, again and again,', (piece) => {
  const long = piece.repeat(length / piece.length)

  test('is rejected by every command, with a message that shortens it', async () => {
    const cli = createTestCli()
    await cli.json('add', 'Acme/Website/Design', '--from', '8:00', '--for', '30m')
    await cli.json('admin', 'expense-types', 'add', 'Travel')
    for (const line of lines) {
      const argv = line.map((word) => word.replace('X', long))
      for (const options of [[], ['--json']]) {
        const { status, stderr } = await cli.run(...options, ...argv)
        const isShort = stderr.length < 3000 || stderr
        expect({ line, status: [2, 3, 7].includes(status) || status, isShort }).toEqual({
          line,
          status: true,
          isShort: true,
        })
      }
    }
  })

  test('completes to nothing', async () => {
    const cli = createTestCli()
    await cli.json('add', 'Acme/Website/Design', '--from', '8:00', '--for', '30m')
    for (const line of [
      ['start', long],
      ['log', `-${long}`],
      ['log', `-${'q'.repeat(length)}`],
      ['log', '--fields', long],
      [long],
    ]) {
      expect(await cli.run('__complete', ...line)).toMatchObject({ status: 0, stderr: '' })
    }
  })
})
