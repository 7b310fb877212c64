import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** Registers the prompts with a server: tasks that a user can choose in a client. */
export function registerPrompts(server: McpServer): void {
  server.registerPrompt(
    'weekly_review',
    {
      title: 'Weekly review',
      description: 'Review the tracked time of a week',
      argsSchema: z.object({
        week: z.string().describe('Week, such as last week or 2024-W18 (default: this week)').optional(),
      }),
    },
    ({ week }) => userPrompt(weeklyReview(week?.trim() || 'week')),
  )
  server.registerPrompt(
    'fill_gaps',
    {
      title: "Fill yesterday's gaps",
      description: 'Find working time without entries, and add what is missing',
      argsSchema: z.object({
        day: z.string().describe('Day, such as monday or 2024-05-01 (default: yesterday)').optional(),
      }),
    },
    ({ day }) => userPrompt(fillGaps(day?.trim() || 'yesterday')),
  )
}

function weeklyReview(week: string): string {
  return `Review my tracked time. Period: ${JSON.stringify(week)}.

1. Call report with this period and by: ["client", "project"], then with by: ["day"]. Durations are in seconds: show hours and minutes.
2. Call gaps with this period, and entries_list to find entries without notes, unusually long entries and overlaps.
3. Summarize in a short table how much time each client and project took. State the target and the balance if a target is set.
4. List what should be corrected, with a proposal for each. Change nothing until I agree.`
}

function fillGaps(day: string): string {
  return `Help me to complete my tracked time. Day: ${JSON.stringify(day)}.

1. Call gaps and entries_list with this day as period.
2. For each gap, ask me what I worked on. Propose a task from the entries before and after it; find its name with tasks_find.
3. Once I have answered, add each entry with entry_add, with from and to of the gap, unless I name other times.
4. Show the entries of the day and its total. Mention that undo reverts the last change.`
}

function userPrompt(text: string) {
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] }
}
