import { z } from 'zod'
import { type ErrorCode, type ErrorJson, exitStatus } from '../../lib/errors.js'
import { text } from './values.js'

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
