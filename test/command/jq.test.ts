import { describe, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'

const createCli = preparedCli('2024-05-01T12:00:00', async (cli) => {
  for (const [from, notes] of [
    ['9:00', 'first'],
    ['10:00', 'second \u202e\u001b[31m'],
  ] as const)
    await cli.run('add', 'Website/Design', '--from', from, '--for', '30m', '-n', notes)
})

describe('--jq', () => {
  test('evaluates the expression for each record of --ndjson', { tags: 'slow' }, async () => {
    const cli = await createCli()
    expect((await cli.run('log', '--ndjson', '--jq', '.duration_seconds')).stdout).toBe('1800\n1800\n')
    expect((await cli.run('log', '--ndjson', '--jq', '[., inputs] | length')).stdout).toBe('2\n')
  })

  test('filters every kind of output', { tags: 'slow' }, async () => {
    const cli = await createCli()
    for (const [_, argv, expression, stdout] of [
      ['one record', ['status'], '.running', 'null\n'],
      ['a summary', ['report'], '.seconds, .groups[0].key', '3600\nWebsite\n'],
      ['a value without a view', ['api', 'GET', '/projects'], '.[0].name', 'Website\n'],
      ['a text', ['help', 'time'], '.name', 'time\n'],
      ['an export', ['export', '--format', 'json'], 'length', '2\n'],
      ['an empty list', ['log', 'yesterday'], 'length', '0\n'],
      ['a selection of keys', ['log', '--fields', 'project'], '.[0]', '{"project":"Website"}\n'],
      ['no result', ['log'], 'empty', ''],
    ] as const) {
      expect(await cli.run(...argv, '--jq', expression)).toMatchObject({ status: 0, stdout })
    }
  })

  test('indents on a terminal, and escapes control characters there', async () => {
    const cli = await createCli()
    const { stdout } = await cli.runInTerminal(80, 'log', '--jq', '{notes: .[1].notes}, .[1].notes')
    expect(stdout).toBe('{\n  "notes": "second \\u202e\\u001b[31m"\n}\nsecond \\u202e\\x1b[31m\n')
  })

  test('colours JSON on a terminal, but no strings, unless colours are disabled', async () => {
    const cli = await createCli()
    const line = [
      'log',
      '--jq',
      '{project: .[0].project, n: 1, x: [null, true, "null: \\"a\\":"]}, "a: true"',
    ]
    const plain =
      '{\n  "project": "Website",\n  "n": 1,\n  "x": [\n    null,\n    true,\n    "null: \\"a\\":"\n  ]\n}\na: true\n'
    expect((await cli.runInTerminal(80, ...line)).stdout).toBe(plain)
    cli.env.NO_COLOR = undefined
    expect((await cli.runInTerminal(80, ...line, '--no-color')).stdout).toBe(plain)
    const { stdout } = await cli.runInTerminal(80, ...line)
    expect(stdout).toBe(
      plain
        .replace(/"(project|n|x)":/g, '\u001b[36m"$1"\u001b[39m:')
        .replace(/"Website"|"null.*"/g, '\u001b[32m$&\u001b[39m')
        .replace(/(?<= )null(?=,)/g, '\u001b[2mnull\u001b[22m')
        .replace(/(?<= )true(?=,)/g, '\u001b[35mtrue\u001b[39m'),
    )
    cli.env.FORCE_COLOR = '1'
    expect((await cli.run(...line)).stdout).not.toContain('\u001b')
  })

  test('reports an invalid expression before anything changes', async () => {
    const cli = await createCli()
    const started = await cli.run('start', 'Website/Design', '--jq', '.id |')
    expect(started).toMatchObject({ status: 2, stdout: '' })
    expect(started.stderr).toBe(
      'error: Invalid jq expression: syntax error, unexpected end of file at <top-level>, line 1, column 5:\n    .id |\n        ^\nSee https://jqlang.org/manual/ for the language.\n',
    )
    expect(await cli.json('status')).toBe(null)
    expect(await cli.run('start', 'Website/Design', '--jq')).toMatchObject({ status: 2 })
    expect(await cli.json('status')).toBe(null)
  })

  test('keeps the change of a command whose output cannot be filtered', async () => {
    const cli = await createCli()
    const started = await cli.run('start', 'Website/Design', '--json', '--jq', '.project, .id.x')
    expect(started).toMatchObject({ status: 1, stdout: 'Website\n' })
    expect(JSON.parse(started.stderr).error).toMatchObject({
      code: 'failure',
      message: 'The jq expression failed: Cannot index number with string ("x")',
      hint: 'The command itself succeeded: only its output was not filtered.',
    })
    expect(await cli.json('status')).toMatchObject({ project: 'Website', running: true })
  })

  test('does not filter the error of a command', async () => {
    const cli = await createCli()
    expect(await cli.run('show', '999', '--jq', '.error')).toMatchObject({
      status: 3,
      stdout: '',
      stderr: expect.stringMatching(/^error: /),
    })
    const { stderr } = await cli.run('show', '999', '--json', '--jq', '.id')
    expect(JSON.parse(stderr).error.code).toBe('not_found')
  })

  test('rejects other formats', async () => {
    const cli = await createCli()
    for (const [command, option] of [
      ['log', '--csv'],
      ['log', '--markdown'],
      ['log', '--output=x.ics'],
      ['log', '--template={notes}'],
      ['report', '--html'],
      ['report', '--chart'],
      ['export', '--format=csv'],
    ] as const) {
      expect(await cli.run(command, option, '--jq', '.')).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringMatching(/^error: .*cannot be used together/),
      })
    }
  })
})
