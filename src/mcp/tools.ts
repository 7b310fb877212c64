import type { Tool } from './tool.js'
import * as entries from './tools/entries.js'
import * as expenses from './tools/expenses.js'
import * as history from './tools/history.js'
import * as reports from './tools/reports.js'
import * as timer from './tools/timer.js'

/** All tools, in the order in which clients list them. */
export const tools: readonly Tool[] = [
  timer.timerStatus,
  timer.timerStart,
  timer.timerContinue,
  timer.timerStop,
  timer.timerCancel,
  entries.entriesList,
  entries.entryAdd,
  entries.entryEdit,
  entries.entrySplit,
  entries.entryFill,
  entries.entriesJoin,
  entries.entryDelete,
  reports.report,
  reports.gaps,
  reports.tasksFind,
  expenses.expensesList,
  expenses.expenseAdd,
  history.undo,
  history.redo,
  history.syncStatus,
]
