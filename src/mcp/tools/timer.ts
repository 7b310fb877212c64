import { z } from 'zod'
import { commands } from '../../program/declarations/timer.js'
import * as shapes from '../../records/shapes/entries.js'
import { create, entry, notes, task, time } from '../inputs.js'
import { defineTool, type Tool } from '../tool.js'

const timerStatus = defineTool({
  name: 'timer_status',
  title: 'Show running timer',
  description:
    'Shows the running timer, or null. Use it before starting or stopping a timer, and when the user asks what is being tracked. Messages show the progress toward the target, if one is set.',
  effect: 'read',
  input: z.strictObject({}),
  output: shapes.entry.nullable(),
  recordsLike: 'entries_list',
  outputKey: 'timer',
  command: commands.status,
})

const timerStart = defineTool({
  name: 'timer_start',
  title: 'Start timer',
  description:
    'Starts a timer; a running one is stopped first, at the same time. Use it when the user begins or switches to a task now. For finished time use entry_add. Creates a task only with create, after the user has confirmed it; otherwise an unknown task is an error with the nearest ones.',
  effect: 'add',
  isConfirmed: true,
  input: z.strictObject({
    task: task.describe(`${task.description} Default: the task of .tt.json`).optional(),
    notes: notes().optional(),
    at: time('Start time (default: now)').optional(),
    create: create.optional(),
  }),
  output: shapes.entry,
  recordsLike: 'entries_list',
  outputKey: 'entry',
  command: commands.start,
})

export const timerStop = defineTool({
  name: 'timer_stop',
  title: 'Stop timer',
  description:
    'Stops the running timer. Use it when the user has finished or interrupts work. An error says if no timer is running.',
  effect: 'add',
  isIdempotent: true,
  input: z.strictObject({
    at: time('End time (default: now)').optional(),
    notes: notes('Replaces the notes').optional(),
  }),
  output: shapes.entry,
  recordsLike: 'entries_list',
  outputKey: 'entry',
  command: commands.stop,
})

const timerContinue = defineTool({
  name: 'timer_continue',
  title: 'Continue entry',
  description:
    'Starts a timer with the task and notes of an earlier entry; a running one is stopped first. Use it when the user resumes earlier work.',
  effect: 'add',
  input: z.strictObject({
    entry: entry.describe(`${entry.description} (default: @1)`).optional(),
    at: time('Start time (default: now)').optional(),
    notes: notes('Notes (default: those of the entry)').optional(),
  }),
  output: shapes.entry,
  recordsLike: 'entries_list',
  outputKey: 'entry',
  command: commands.continue,
})

const timerCancel = defineTool({
  name: 'timer_cancel',
  title: 'Discard timer',
  description:
    'Discards the running timer and its time. Use it only when the user does not want to keep the time; to keep it, use timer_stop. Needs the confirmation of the user.',
  effect: 'overwrite',
  isConfirmed: true,
  input: z.strictObject({}),
  output: shapes.entry,
  recordsLike: 'entries_list',
  outputKey: 'cancelled',
  command: commands.cancel,
})

export const timerTools: readonly Tool[] = [timerStatus, timerStart, timerContinue, timerStop, timerCancel]
