import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { createSeededHome, tt, ttJson } from '../support/process.js'

/** Command lines with JSON, by the name of the schema. The tests of commands compare all others in process. */
const lines: Record<string, string[]> = {
  start: ['start', 'Website/Design', '--at', '-5m'],
  status: ['status'],
  stop: ['stop'],
  add: ['add', 'Website/Design', '--from', '8:00', '--to', '9:00', '--yes'],
  edit: ['edit', '@1', '--notes', 'first page'],
  show: ['show', '@1'],
  log: ['log', '--since', '1990-01-01'],
  report: ['report', '--since', '1990-01-01', '--by', 'client,project,month'],
  timesheet: ['timesheet', '--month'],
  undo: ['undo'],
  redo: ['redo'],
  tags: ['tags', '--since', '1990-01-01'],
  projects: ['projects'],
  links: ['links'],
  frequent: ['frequent'],
  'expenses list': ['expenses', 'list', '--since', '1990-01-01'],
  'expenses report': ['expenses', 'report', '--since', '1990-01-01'],
  whoami: ['whoami'],
  'profiles list': ['profiles'],
  'config list': ['config', 'list'],
  'sync list': ['sync', 'list'],
  'alias list': ['alias', 'list'],
  doctor: ['doctor'],
  'admin user list': ['admin', 'user', 'list'],
  'admin audit': ['admin', 'audit'],
  'admin report': ['admin', 'report', '--since', '1990-01-01'],
}

test('the built program prints schemas that accept what its commands print', async () => {
  const home = await createSeededHome(200)
  const schemas = await ttJson<Record<string, object>>(home, 'schema')
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
  addFormats.default(ajv)
  for (const [name, line] of Object.entries(lines)) {
    const schema = schemas[name]
    if (!schema) throw new Error(`There is no schema "${name}".`)
    const { stdout, stderr } = await tt(home, [...line, '--json'])
    expect({ name, printed: stdout !== '', stderr }).toMatchObject({ name, printed: true })
    const isValid = ajv.validate(schema, JSON.parse(stdout))
    expect({ name, isValid, errors: ajv.errors }).toEqual({ name, isValid: true, errors: null })
  }
  const { stderr } = await tt(home, ['show', '999999', '--json'])
  expect(ajv.validate(schemas.error ?? {}, JSON.parse(stderr))).toBe(true)
  expect(ajv.validate(schemas.error ?? {}, { error: { code: 'other' } })).toBe(false)
})
