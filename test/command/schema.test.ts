import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { pathsFor, workspacePath } from '../../src/config/paths.js'
import { createProgram, everyCommand } from '../../src/program/program.js'
import { commandShapes } from '../../src/records/shapes/commands.js'
import { jsonSchemaOf } from '../../src/records/shapes/documents.js'
import { templateWords } from '../../src/records/shapes/entries.js'
import { outputViolations } from '../support/described-output.js'
import { splitCommandLine } from '../support/examples.js'
import { insertQueuedChanges } from '../support/queued-changes.js'
import { createTestCli } from '../support/test-cli.js'

type Schema = Record<string, unknown>

/** Commands that print no JSON of their own. */
const withoutJson = ['logout', 'mcp', 'profiles use', 'profiles rm']

/** Compiling the schema of schemas takes most of the time, so that all tests share it. */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
addFormats.default(ajv)

test('every command has a schema, except those without JSON', async () => {
  const tree = await createProgram({ invoke: async () => {}, writeOut: () => {}, writeErr: () => {} })
  const leaves = everyCommand(tree).filter(({ commands }) => commands.length === 0)
  const names = leaves.map(({ path }) => path.replace('tt ', ''))
  expect(names.filter((name) => !withoutJson.includes(name)).sort()).toEqual(
    Object.keys(commandShapes).sort(),
  )
})

test('all schemas are valid JSON Schema 2020-12', { tags: 'slow' }, async () => {
  const schemas = await createTestCli().json<Record<string, Schema>>('schema')
  expect(Object.keys(schemas)).toEqual([...Object.keys(commandShapes), 'error', 'hook', 'template'])
  for (const [name, schema] of Object.entries(schemas)) {
    expect(ajv.validateSchema(schema), name).toBe(true)
    expect(() => ajv.compile(schema), name).not.toThrow()
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
  }
})

test('the printed schemas are those that every test compares with, and also allow further keys', {
  tags: 'slow',
}, async () => {
  const schemas = await createTestCli().json<Record<string, Schema>>('schema')
  const withoutLimits = (schema: Schema) =>
    JSON.parse(JSON.stringify(schema), (key, value) =>
      key === 'additionalProperties' && (value === false || Object.keys(value).length === 0)
        ? undefined
        : value,
    )
  for (const [name, { json, line = json }] of Object.entries(commandShapes)) {
    const { title: _, ...printed } = schemas[name] ?? {}
    expect(printed).toEqual(jsonSchemaOf(json))
    for (const shape of [json, line])
      expect(withoutLimits(jsonSchemaOf(shape, { isStrict: true })), name).toEqual(
        withoutLimits(jsonSchemaOf(shape)),
      )
  }
})

// formats.test.ts has the lists, and the JSON of almost all commands. Every `TestCli` compares both with the shapes.
test('commands print the lines and the values of their shapes', { tags: 'slow' }, async () => {
  const cli = createTestCli()
  for (const line of [
    'add Acme/Website/Design --from 8:00 --for 1h',
    'add Acme/Website/Review --from 8:30 --for 10m --yes',
    "config set rate '95 EUR'",
    'config set invoice.sender.name Ada',
    'config set invoice.tax 19',
    'expenses add 12.50 --currency EUR',
    'invoice create Acme today --yes -o invoice.json --number A-1',
    'backup backup.tar.gz',
    'restore backup.tar.gz --yes',
    'export --format csv --output entries.csv',
    'import entries.csv --dry-run --yes',
    'admin seed --entries 20 --until 2024-04-30',
  ])
    await cli.json(...splitCommandLine(line))
  for (const line of [
    'report 2024 --by client,project,month',
    'report 2024-04 --compare year',
    'check 2024',
    'timesheet 2024-04',
    'expenses report all --by type,month',
    'invoice show A-1',
    'admin report 2024',
    'doctor',
  ])
    for (const format of ['--json', '--ndjson'])
      expect(await cli.run(...splitCommandLine(line), format)).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/./),
      })
  expect(await cli.runWithInput('{"now": "status"}', 'alias', 'import', '-', '--json')).toMatchObject({
    status: 0,
  })
  await insertQueuedChanges(workspacePath(pathsFor(cli.env)), { refused: 1, waiting: 1 })
  const [change] = await cli.json<Schema[]>('sync', 'list')
  await cli.json('sync', 'discard', String(change?.id), '--yes')
})

test.each(readdirSync(new URL('golden/', import.meta.url)).filter((name) => /json\.txt$/.test(name)))(
  'the recorded output %s matches its schema',
  async (file) => {
    const [command = ''] = file.split('-')
    const option = file.includes('ndjson') ? '--ndjson' : '--json'
    const stdout = readFileSync(new URL(`golden/${file}`, import.meta.url), 'utf8')
    expect(await outputViolations([command, option], { status: 0, stdout, stderr: '' })).toEqual([])
  },
)

test('a schema accepts further keys, and rejects a missing or wrong one', async () => {
  const cli = createTestCli()
  await cli.run('start', 'Website/Design')
  const entry = await cli.json('status')
  const validate = ajv.compile(await cli.json<Schema>('schema', 'status'))
  expect(validate({ ...entry, added_later: 1 })).toBe(true)
  expect(validate(null)).toBe(true)
  const { duration_seconds: _, ...incomplete } = entry
  expect(validate(incomplete)).toBe(false)
  expect(validate({ ...entry, running: 'yes' })).toBe(false)
})

test('--line prints the schema of a line of --ndjson', async () => {
  const cli = createTestCli()
  await cli.run('add', 'Website/Design', '--from', '8:00', '--to', '9:00')
  const { stdout } = await cli.run('log', '--ndjson')
  const validate = ajv.compile(await cli.json<Schema>('schema', 'log', '--line'))
  expect(validate(JSON.parse(stdout))).toBe(true)
  expect(await cli.json('schema', 'log', '--line')).toMatchObject({ title: 'tt log: a line' })
  const result = await cli.run('schema', 'whoami', '--line')
  expect(result).toMatchObject({ status: 2 })
  expect(result.stderr).toContain('does not print lines')
})

test('a line of a report has the declared keys for groupings, amounts and a comparison, and no others', async () => {
  const cli = createTestCli()
  await cli.run('config', 'set', 'rate', '80 EUR')
  for (const day of ['2024-04-24', '2024-05-01'])
    await cli.run('add', 'Website/Design', '--from', `${day} 8:00`, '--for', '1h')
  const report = ['report', 'week', '--by', 'week,project', '--billable']
  for (const options of [[], ['--compare', 'last-week']]) {
    const { stdout } = await cli.run(...report, ...options, '--ndjson')
    expect(JSON.parse(stdout)).toMatchObject({ project: 'Website', amount_eur: '80.00' })
    const added = `${JSON.stringify({ ...JSON.parse(stdout), minutes: 1 })}\n`
    const violations = await outputViolations(['report', '--ndjson'], {
      status: 0,
      stdout: added,
      stderr: '',
    })
    expect(violations).toEqual([expect.stringContaining('(minutes')])
  }
})

test('the comparison of the tests includes a selection of keys, exported lists and errors', async () => {
  const cli = createTestCli()
  await cli.run('add', 'Website/Design', '--from', '8:00', '--for', '1h')
  const violationsOf = async (argv: string[], change: (printed: string) => string) => {
    const outcome = await cli.run(...argv)
    return outputViolations(argv, { ...outcome, stdout: change(outcome.stdout) })
  }
  for (const argv of [
    ['log', '--json', '--fields', 'id,project'],
    ['log', '--ndjson', '--fields', 'id,project'],
    ['report', '--ndjson', '--fields', 'project,count'],
    ['export', '--json'],
  ]) {
    expect(await violationsOf(argv, (printed) => printed)).toEqual([])
    expect(await violationsOf(argv, (printed) => printed.replace('"project"', '"projekt"'))).toHaveLength(1)
    expect(await violationsOf(argv, (printed) => printed.replace('"Website"', '7'))).toHaveLength(1)
  }
  const stderr = '{"error":{"code":"unknown"}}'
  expect(await outputViolations(['log', '--json'], { status: 2, stdout: '', stderr })).toHaveLength(1)
})

test('a command with subcommands prints the schemas of these', async () => {
  const schemas = await createTestCli().json('schema', 'sync')
  expect(Object.keys(schemas)).toEqual(['sync now', 'sync list', 'sync retry', 'sync adopt', 'sync discard'])
})

test('an unknown command is an error with the nearest names', async () => {
  const result = await createTestCli().run('schema', 'lgo', '--json')
  expect(result.status).toBe(2)
  expect(JSON.parse(result.stderr)).toMatchObject({ error: { code: 'usage', candidates: ['log'] } })
})

test('the schema of template words names all of them and the JSON keys', async () => {
  const cli = createTestCli()
  const { properties } = await cli.json<{ properties: Schema }>('schema', 'template')
  await cli.run('add', 'Website/Design', '--from', '8:00', '--to', '9:00')
  const [entry] = await cli.json<Schema[]>('log')
  const words = [...Object.keys(templateWords.shape), ...Object.keys(entry ?? {})]
  expect(words.filter((word) => !Object.hasOwn(properties, word))).toEqual([])
  const template = words.map((word) => `{${word}}`).join(' ')
  expect(await cli.run('log', '--template', template)).toMatchObject({ status: 0, stderr: '' })
})
