import { z } from 'zod'
import { entry } from './entries.js'
import { count, seconds, text, time } from './values.js'

/** A line of `tt watch --json`. */
export const watchEvent = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('state'),
      time,
      timer: entry.nullable(),
      entries: z.array(entry).describe('The entries of today.'),
      today_seconds: seconds,
      today_target_seconds: seconds.nullable(),
      week_seconds: seconds.nullable(),
      week_target_seconds: seconds.nullable(),
      connection: z.enum(['local', 'online', 'offline']),
      pending_changes: count,
    }),
    z.object({ type: z.enum(['started', 'stopped', 'added', 'changed', 'deleted']), time, entry }),
    z.object({ type: z.literal('online'), time }),
    z.object({ type: z.literal('offline'), time, reason: text }),
    z.object({ type: z.enum(['warning', 'error']), time, message: text }),
  ])
  .meta({ id: 'WatchEvent' })
export type WatchEventJson = z.infer<typeof watchEvent>
