import type { Link } from '../../tracking/catalog/links.js'
import type { Entry } from '../../tracking/entries/entry.js'
import { type Choice, Picker } from '../../ui/picker.js'

/** A task to start, with the notes of the entry that it continues; or the text that names the one to create. */
export type TaskChoice = { link: Link; notes: string | undefined } | { created: string }

export type TaskPicker = Picker<TaskChoice>

/** The number of recent entries that are offered before all tasks. */
const maxRecent = 9

/** Returns a list of tasks with the recent ones. */
export function createTaskPicker(entries: readonly Entry[]): TaskPicker {
  return new Picker(recentChoices(entries), { hasNumbers: true })
}

/** Adds all tasks after the recent ones. */
export function addTasks(picker: TaskPicker, links: readonly Link[]) {
  const others = links.filter(({ active }) => active).map((link) => choiceOf(link, undefined))
  const known = new Set(picker.choices.map(keyOf))
  picker.add(others.filter((choice) => !known.has(keyOf(choice))))
}

/** Returns the tasks and notes of finished entries, the latest first, each once. */
function recentChoices(entries: readonly Entry[]): Choice<TaskChoice>[] {
  const choices = new Map<string, Choice<TaskChoice>>()
  for (const { link, notes, end } of [...entries].reverse()) {
    if (!link?.active || !end) continue
    const choice = choiceOf(link, notes || undefined)
    if (!choices.has(keyOf(choice))) choices.set(keyOf(choice), choice)
  }
  return [...choices.values()].slice(0, maxRecent)
}

function choiceOf(link: Link, notes: string | undefined): Choice<TaskChoice> {
  return { name: link.label, detail: notes, value: { link, notes } }
}

function keyOf({ value, detail = '' }: Choice<TaskChoice>): string {
  return 'link' in value ? `${value.link.id}\n${detail}` : value.created
}
