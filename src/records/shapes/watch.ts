import { z } from 'zod'
import { entry } from './entries.js'
import { count, seconds, text, time } from './values.js'

/** A line of `tt watch --json`. */
export const watchEvent = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('state'),
      time,
      timer: entry.nullable().describe('The running timer; null if there is none.'),
      entries: z.array(entry).describe('The entries of today.'),
      today_seconds: seconds,
      today_target_seconds: seconds.nullable().describe('Whole seconds; null without a target.'),
      week_seconds: seconds.nullable().describe('Whole seconds of this week; null without a target.'),
      week_target_seconds: seconds.nullable().describe('Whole seconds; null without a target.'),
      connection: z
        .enum(['local', 'online', 'offline'])
        .describe(
          'local: the local workspace; online: the service responded to the last request; offline: it did not.',
        ),
      pending_changes: count.describe('The number of changes that are not sent yet.'),
    }),
    z.object({ type: z.enum(['started', 'stopped', 'added', 'changed', 'deleted']), time, entry }),
    z.object({ type: z.literal('online'), time }),
    z.object({
      type: z.literal('offline'),
      time,
      reason: text.describe('Why the service does not respond.'),
    }),
    z.object({
      type: z.enum(['warning', 'error']),
      time,
      message: text.describe('What happened, as a sentence.'),
    }),
  ])
  .meta({ id: 'WatchEvent' })
export type WatchEventJson = z.infer<typeof watchEvent>
