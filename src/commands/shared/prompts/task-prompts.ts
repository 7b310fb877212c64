import type { PlannedLink, TaskPrompts } from '../../../tracking/catalog/catalog.js'
import type { Choice, Prompts } from '../../../ui/prompts.js'

/** Returns the prompts that finding a task needs. */
export function taskPrompts(prompts: Prompts): TaskPrompts {
  return {
    selectTask({ tasks, reason, creation }) {
      const createChoice = (typed: string) => {
        const task = creation(typed)
        return task && choiceOf(task)
      }
      const question = reason === undefined ? 'Which task?' : `${reason}:`
      return prompts.select(question, tasks.map(choiceOf), { createChoice, hasNumbers: true })
    },
  }
}

/** Returns the row of a task, "Create Website / Design" for a new one. */
function choiceOf(task: PlannedLink): Choice<PlannedLink> {
  return { name: task.id === undefined ? `Create ${task.label}` : task.label, value: task }
}
