import type { PlannedLink, TaskPrompts } from '../../../catalog/catalog.js'
import type { Choice, Prompts } from '../../../ui/prompts.js'

/** Returns the prompts that finding a task needs. */
export function taskPrompts(prompts: Prompts): TaskPrompts {
  return {
    selectTask({ tasks, reason, creation }) {
      const question = reason === undefined ? 'Which task?' : `${reason}:`
      return prompts.select(question, tasks.map(choiceOf), (typed) => {
        const task = creation(typed)
        return task && choiceOf(task)
      })
    },
  }
}

function choiceOf(task: PlannedLink): Choice<PlannedLink> {
  return { name: task.id === undefined ? `Create ${task.label}` : task.label, value: task }
}
