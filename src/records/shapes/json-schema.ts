import { z } from 'zod'
import { serviceRecords } from './entries.js'
import type { Shape } from './values.js'

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
