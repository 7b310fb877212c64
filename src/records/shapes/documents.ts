import { z } from 'zod'
import { type CommandShape, commandShapes } from './commands.js'
import { hookInput, loggedEntry, templateWords } from './entries.js'
import { errorShape } from './errors.js'
import { type JsonSchema, jsonSchemaOf } from './json-schema.js'

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
