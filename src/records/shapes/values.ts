import { z } from 'zod'

/** A declared shape. A command prints it as an object, which later versions may give more keys. */
export type Shape = z.ZodType

export const id = z.union([z.int(), z.string()])
export const localId = z
  .string()
  .nullable()
  .describe(
    'Only for a record with pending changes: an ID such as "~3" if the service has not assigned one, else null.',
  )
export const name = z.string()
export const text = z.string()
export const flag = z.boolean()
export const count = z.int().min(0)
export const time = z.iso.datetime({ offset: true }).describe('RFC 3339, such as 2024-05-01T09:30:00+02:00.')
export const day = z.iso.date().describe('A day, such as 2024-05-01.')
export const seconds = z.int().min(0)
export const secondsDifference = z.int().describe('Whole seconds; negative if less.')
export const money = z
  .object({
    currency: z.string().describe('Code of ISO 4217.'),
    amount: z.string().describe('A decimal number, such as "1234.50".'),
  })
  .meta({ id: 'Money' })
/** Declares the names of records: null where there is none. */
export const nullableName = name.nullable().describe('The name; null without a known one.')
