import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { isJson } from '../../src/api-client/http/status-errors.js'
import { type Declaration, type GroupDeclaration, isGroup } from '../../src/cli/declaration.js'
import { isObject } from '../../src/lib/is-object.js'
import { type CommandName, summaries } from '../../src/program/command-list.js'
import { loadDeclaration } from '../../src/program/program.js'
import { commandShapes } from '../../src/records/shapes/commands.js'
import { errorShape, type JsonSchema, jsonSchemaOf } from '../../src/records/shapes/documents.js'
import type { Shape } from '../../src/records/shapes/values.js'

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
/** Fields that the services of other implementations in the tests send. */
const foreignFields = new Set([
  'date',
  'expenseDate',
  'expense_date',
  'incurred_on',
  'state',
  'user_id',
  'wann',
])
addFormats.default(ajv)

/** Matches the colours of JSON on a terminal. */
const colours = new RegExp(`${'\u001b'}\\[\\d+m`, 'g')
/** Options that print something else than the JSON of the command, or only some of its keys. */
const otherOutput = /^--(?:html|pdf|ical|chart|csv|markdown|template|jq|help|version|map-template)\b/

/**
 * Returns the differences between the output of a command and its declared shape, which are empty without --json or
 * --ndjson. Keys that are not declared are differences.
 */
export async function outputViolations(
  argv: readonly string[],
  { status, stdout: shown, stderr }: { status: number | null; stdout: string; stderr: string },
): Promise<string[]> {
  const stdout = shown.replaceAll(colours, '')
  const isLines = argv.includes('--ndjson')
  if (!isLines && !argv.includes('--json')) return []
  const errors = stderr.split('\n').filter((line) => line.startsWith('{"error":'))
  const violations = errors.flatMap((line) => differences('the error', errorShape, line))
  const path = await commandPath(argv)
  if (path === undefined || stdout === '' || argv.some((word) => otherOutput.test(word))) return violations
  // Another format than JSON, unless it was written to a file.
  if (path === 'export' && !isJson(stdout)) return violations
  const shape = commandShapes[path]
  if (!shape)
    return [
      ...violations,
      `\`tt ${path}\` prints JSON, but src/records/shapes/commands.ts does not declare it.`,
    ]
  const printed = shape.isStream || isLines ? stdout.trimEnd().split('\n') : [stdout]
  const declared = isLines ? (shape.line ?? shape.json) : shape.json
  const isSelection = argv.some((word) => /^--fields\b/.test(word))
  // A command that fails may have printed a part.
  if (status !== 0 && printed.some((text) => !isJson(text))) return violations
  return [
    ...violations,
    ...printed.flatMap((text) => differences(`\`tt ${path}\``, declared, text, { isSelection })),
  ]
}

const validators = {
  whole: new Map<Shape, ValidateFunction>(),
  selection: new Map<Shape, ValidateFunction>(),
}

/**
 * Returns the differences between JSON text and a shape. Keys that are not declared are differences.
 *
 * @param options.isSelection whether the outer objects have only some of their keys
 */
export function differences(
  what: string,
  shape: Shape,
  text: string,
  { isSelection = false } = {},
): string[] {
  const known = isSelection ? validators.selection : validators.whole
  let validate = known.get(shape)
  if (!validate) {
    const schema = jsonSchemaOf(shape, { isStrict: true })
    validate = ajv.compile(isSelection ? withOptionalKeys(schema, schema) : schema)
    known.set(shape, validate)
  }
  if (!isJson(text)) return [`${what} printed no JSON: ${text.slice(0, 200)}`]
  if (validate(JSON.parse(text))) return []
  const keyOf = ({ params }: ErrorObject): unknown => params.additionalProperty
  const errors = validate.errors?.filter((error) => !foreignFields.has(String(keyOf(error)))) ?? []
  if (errors.length === 0) return []
  const keys = errors.flatMap((error) => keyOf(error) ?? [])
  return [`${what}: ${ajv.errorsText(errors)}${keys.length > 0 ? ` (${keys})` : ''} in ${text.slice(0, 500)}`]
}

/** Returns a schema whose outer objects, also in a list or a choice, may lack keys. `$defs` are those of `root`. */
function withOptionalKeys(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { $ref, required: _, ...changed } = schema
  if (typeof $ref === 'string') {
    const named = (root.$defs as Record<string, JsonSchema>)[$ref.replace('#/$defs/', '')]
    return { ...changed, ...withOptionalKeys(named ?? {}, root) }
  }
  for (const key of ['anyOf', 'oneOf'])
    if (Array.isArray(changed[key])) changed[key] = changed[key].map((each) => withOptionalKeys(each, root))
  if (isObject(changed.items)) changed.items = withOptionalKeys(changed.items, root)
  return changed
}

/** Returns the words of the command, such as "admin user add"; undefined for an unknown one. */
async function commandPath(argv: readonly string[]): Promise<string | undefined> {
  const start = argv.findIndex((word) => Object.hasOwn(summaries, word))
  if (start === -1) return undefined
  const words = [argv[start] as CommandName] as string[]
  let declaration: Declaration = await loadDeclaration(words[0] as CommandName)
  let rest = argv.slice(start + 1)
  while (isGroup(declaration)) {
    const { commands, default: standard }: GroupDeclaration = declaration
    const index = rest.findIndex((word) => Object.hasOwn(commands, word))
    const word: string | undefined = index === -1 ? standard : rest[index]
    if (word === undefined) return undefined
    words.push(word)
    rest = rest.slice(index + 1)
    declaration = commands[word] as Declaration
  }
  return words.join(' ')
}
