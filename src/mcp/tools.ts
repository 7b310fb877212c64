import type { Tool } from './tool.js'
import { entryTools } from './tools/entries.js'
import { expenseTools } from './tools/expenses.js'
import { historyTools } from './tools/history.js'
import { reportTools } from './tools/reports.js'
import { timerTools } from './tools/timer.js'

/** All tools, in the order in which clients list them. */
export const tools: readonly Tool[] = [
  ...timerTools,
  ...entryTools,
  ...reportTools,
  ...expenseTools,
  ...historyTools,
]
