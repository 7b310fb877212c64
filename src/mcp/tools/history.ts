import { z } from 'zod'
import { commands } from '../../program/declarations/entries.js'
import { commands as syncCommands } from '../../program/declarations/sync.js'
import * as shapes from '../../records/shapes/entries.js'
import { defineTool, type Tool } from '../tool.js'

const undo: Tool = defineTool({
  name: 'undo',
  title: 'Undo last change',
  description:
    'Undoes the last change to entries or expenses that was made with tt on this machine, by any program. Use it when the user wants to revert it. If that deletes or changes several records, it needs the confirmation of the user.',
  effect: 'overwrite',
  isConfirmed: true,
  input: z.strictObject({}),
  output: z.array(shapes.historyChange),
  outputKey: 'undone',
  command: commands.undo,
})

const redo: Tool = defineTool({
  name: 'redo',
  title: 'Redo last undone change',
  description:
    'Redoes the last change that was undone, until another change is made. If that deletes or changes several records, it needs the confirmation of the user.',
  effect: 'overwrite',
  isConfirmed: true,
  input: z.strictObject({}),
  output: z.array(shapes.historyChange),
  recordsLike: 'undo',
  outputKey: 'redone',
  command: commands.redo,
})

const syncStatus: Tool = defineTool({
  name: 'sync_status',
  title: 'Show pending changes',
  description:
    'Lists changes that the service does not have yet: pending ones, which are sent automatically, and rejected ones, which the user must resolve. Use it after a message that a change was saved locally.',
  effect: 'read',
  keeps: 'first',
  input: z.strictObject({}),
  output: z.array(shapes.queuedChange),
  outputKey: 'changes',
  command: syncCommands.sync.commands.list,
})

export const historyTools: readonly Tool[] = [undo, redo, syncStatus]
