import { z } from 'zod'
import { describeField } from '../descriptions.js'
import type * as records from '../records.js'
import type { Field, FieldType, RecordDeclaration } from '../records.js'
import { flag, id, name, text, time } from './values.js'

/**
 * The shapes of the fields of a record as a command prints them. Only the ID, the name and the times that users write are
 * always there: a service may omit others.
 */
const shapes = {
  id,
  name,
  reference: id.nullish(),
  text: text.nullish(),
  external_id: text.nullish(),
  currency: text.nullish(),
  decimal: text.nullish(),
  day: text.nullish(),
  boolean: flag.optional(),
  time: z.unknown().optional(),
  instant: z.unknown().optional(),
  tag: z.unknown().optional(),
} as const satisfies Record<FieldType, z.ZodType>
const nullableTime = time.nullable()

type KeyOf<Declared> = Declared extends { type: 'time'; write: string }
  ? Declared extends { isNullable: true }
    ? typeof nullableTime
    : typeof time
  : Declared extends { type: FieldType }
    ? (typeof shapes)[Declared['type']]
    : never

type DeclarationName = {
  [Name in keyof typeof records]: (typeof records)[Name] extends RecordDeclaration ? Name : never
}[keyof typeof records]

/** Returns the keys of the JSON of a record, with the meaning of those whose names do not say it. */
export function recordKeys<Name extends DeclarationName>(
  declarationName: Name,
  { fields }: (typeof records)[Name],
): { [Key in keyof (typeof records)[Name]['fields']]: KeyOf<(typeof records)[Name]['fields'][Key]> } {
  const keys = Object.entries<Field>(fields).map(([key, { type, isNullable, write }]) => {
    const shape = type === 'time' && write ? (isNullable ? nullableTime : time) : shapes[type]
    const isClear = ['id', 'name', 'text'].includes(type) || key === 'created_at'
    return [key, isClear ? shape : shape.describe(describeField(declarationName, key))]
  })
  return Object.fromEntries(keys)
}
