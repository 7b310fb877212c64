import { z } from 'zod'
import { type ErrorCode, type ErrorJson, exitStatus } from '../../lib/errors.js'
import { type CommandShape, commandShapes } from './commands.js'
import { hookInput, loggedEntry, serviceRecords, templateWords } from './entries.js'
import { type Shape, text } from './values.js'

const codes = Object.keys(exitStatus) as [ErrorCode, ...ErrorCode[]]

/** The object on standard error with --json. */
export const errorShape = z
  .object({
    error: z.object({
      code: z.enum(codes).describe('Each code has its own exit status.'),
      message: text,
      hint: text.nullable().describe('What to do next.'),
      status: z.int().nullable().describe('The HTTP status of the response, if there was one.'),
      candidates: z
        .array(z.string())
        .optional()
        .describe('Names that may have been meant, most similar first.'),
    }),
  })
  .meta({ id: 'Error', description: 'An error, on standard error.' }) satisfies z.ZodType<{
  error: ErrorJson
}>

/** Shapes of other output than that of commands. */
const otherShapes: Readonly<Record<string, CommandShape>> = {
  error: { json: errorShape },
  hook: { json: hookInput },
  template: {
    json: z
      .object({ ...templateWords.shape, ...loggedEntry.shape })
      .describe(templateWords.description ?? ''),
  },
}

/** The names of all schemas: the words of commands, then "error", "hook" and "template". */
export const schemaNames: readonly string[] = [...Object.keys(commandShapes), ...Object.keys(otherShapes)]

/** Returns the schema with this name; undefined if there is none. `ofLine`: of a line of --ndjson. */
export function schemaDocument(name: string, { ofLine = false } = {}): JsonSchema | undefined {
  const named = { ...commandShapes, ...otherShapes }
  const declared = Object.hasOwn(named, name) ? named[name] : undefined
  const shape = ofLine ? declared?.line : declared?.json
  if (!declared || !shape) return undefined
  const isLine = ofLine || declared.isStream
  const title = Object.hasOwn(otherShapes, name) ? name : `tt ${name}${isLine ? ': a line' : ''}`
  const { $schema, ...schema } = jsonSchemaOf(shape)
  return { $schema, title, ...schema }
}

/** A JSON Schema, version 2020-12. */
export type JsonSchema = Record<string, unknown>

/**
 * Returns the JSON Schema of a shape. Objects may have further keys, because later versions add some, unless it `isStrict`.
 * Shapes with a name are in `$defs`.
 */
export function jsonSchemaOf(shape: Shape, { isStrict = false } = {}): JsonSchema {
  return z.toJSONSchema(shape, {
    target: 'draft-2020-12',
    io: isStrict ? 'output' : 'input',
    override({ jsonSchema, zodSchema }) {
      if (isStrict && serviceRecords.has(zodSchema)) jsonSchema.additionalProperties = false
      // The format says it.
      if (jsonSchema.format?.startsWith('date')) delete jsonSchema.pattern
      // The limits of JavaScript are not those of JSON.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
}
