import type { TaskPrompts } from '../../../catalog/catalog.js'
import type { Prompts } from '../../../ui/prompts.js'

/** Returns the prompts that finding a task needs; `canCreate` where the service lets the user create tasks. */
export function taskPrompts(prompts: Prompts, canCreate: boolean): TaskPrompts {
  return {
    selectTask(links, reason) {
      const creation = canCreate ? ' (Project/Task --create creates one)' : ''
      const anotherCreation = canCreate ? ' (--create creates a new one)' : ''
      const question = reason === undefined ? `Which task?${creation}` : `${reason}${anotherCreation}:`
      return prompts.select(
        question,
        links.map((link) => ({ name: link.label, value: link })),
      )
    },
    confirmCreate: (label, reason) => prompts.confirm(`${reason}. Create ${label} anyway (--create)?`),
  }
}
