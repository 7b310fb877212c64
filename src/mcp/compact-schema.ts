import { isObject } from '../lib/is-object.js'

/** A JSON Schema. */
type Schema = Record<string, unknown>

/**
 * Returns a JSON Schema of an input that accepts the same values in fewer bytes, because a model reads those of all tools:
 * without the bounds that every integer has, patterns of a format, and unions in unions.
 */
export function compactInput({ $schema: _, ...schema }: Schema): Schema {
  return compact(schema) as Schema
}

/**
 * Returns a smaller JSON Schema of an output. It allows further keys, which later versions may have, does not say that
 * counts and durations begin at 0, and describes a property once. With `recordsLike`, the tool that describes the records,
 * it accepts any object as a record.
 */
export function compactOutput(
  { $schema: _, $defs: records, ...schema }: Schema,
  recordsLike?: string,
): Schema {
  const isAbbreviated = recordsLike !== undefined
  const whole = isAbbreviated
    ? withoutReferences(schema, recordsLike)
    : { ...schema, ...(records === undefined ? {} : { $defs: records }) }
  return withoutRepetition(compact(withFurtherKeys(withoutMinimum(whole)))) as Schema
}

function withFurtherKeys(value: unknown): unknown {
  if (!isObject(value)) return mapValues(value, withFurtherKeys)
  const { additionalProperties, ...others } = value
  return mapValues(typeof additionalProperties === 'boolean' ? others : value, withFurtherKeys)
}

function withoutMinimum(value: unknown): unknown {
  if (!isObject(value) || value.minimum !== 0) return mapValues(value, withoutMinimum)
  const { minimum: _, ...others } = value
  return others
}

/** Returns the schema with any object instead of references to records. */
function withoutReferences(value: unknown, tool: string): unknown {
  return isObject(value) && '$ref' in value
    ? { type: 'object', description: `Like those of ${tool}` }
    : mapValues(value, (each) => withoutReferences(each, tool))
}

function compact(value: unknown): unknown {
  if (!isObject(value)) return mapValues(value, compact)
  const schema = mapValues(withoutRedundantKeys(value), compact) as Schema
  return Array.isArray(schema.anyOf) ? compactUnion(schema, schema.anyOf) : schema
}

function withoutRedundantKeys(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key, value]) => !isRedundant(key, value, schema)))
}

function isRedundant(key: string, value: unknown, schema: Schema): boolean {
  if (key === 'pattern') return typeof value === 'string' && 'format' in schema
  if (key === 'minimum') return value === Number.MIN_SAFE_INTEGER
  if (key === 'maximum') return value === Number.MAX_SAFE_INTEGER
  if (key === 'minItems') return value === 0
  return key === 'additionalProperties' && JSON.stringify(value) === '{}'
}

/** Returns a union without unions in it, and as a list of types where only one type is limited. */
function compactUnion({ anyOf: _, ...others }: Schema, members: readonly Schema[]): Schema {
  const flat = members
    .flatMap((member) =>
      Array.isArray(member.anyOf) && Object.keys(member).length === 1 ? (member.anyOf as Schema[]) : [member],
    )
    .map(
      ({ description, ...member }): Schema =>
        others.description === undefined && description !== undefined ? { ...member, description } : member,
    )
  const limited = flat.filter((member) => Object.keys(member).join() !== 'type')
  const canJoin = limited.length <= 1 && limited.every((member) => 'type' in member && !('enum' in member))
  return canJoin
    ? { ...limited[0], type: flat.flatMap(({ type }) => type), ...others }
    : { ...others, anyOf: flat }
}

/** Returns the schema without the descriptions that a property of the same name has before. */
function withoutRepetition(value: unknown, described = new Set<string>(), name = ''): unknown {
  if (!isObject(value)) return value
  const { description, ...others } = value
  const text = `${name}: ${description}`
  const isRepeated = typeof description === 'string' && described.has(text)
  if (!isRepeated) described.add(text)
  return Object.fromEntries(
    Object.entries(isRepeated ? others : value).map(([key, each]) => [
      key,
      withoutRepetition(each, described, key),
    ]),
  )
}

function mapValues(value: unknown, map: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, map(each)]))
}
