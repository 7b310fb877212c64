import { type Link, pathOf } from '../../catalog/links.js'
import type { Entry } from '../../entries/entry.js'
import { fold } from '../../lib/text/nearest-names.js'
import type { Key } from '../../ui/keys.js'

/** A task to start, with the notes of the entry that it continues. */
export interface TaskChoice {
  link: Link
  notes: string | undefined
}

/** The number of recent entries that are offered before all tasks. */
const maxRecent = 9

/** A list of tasks that typing filters. */
export class TaskPicker {
  filter = ''
  #selected = 0
  #choices: TaskChoice[]

  constructor(entries: readonly Entry[]) {
    this.#choices = recentChoices(entries)
  }

  /** Adds all tasks after the recent ones. */
  addTasks(links: readonly Link[]) {
    const others = links.filter(({ active }) => active).map((link) => ({ link, notes: undefined }))
    const known = new Set(this.#choices.map(keyOf))
    this.#choices.push(...others.filter((choice) => !known.has(keyOf(choice))))
  }

  /** The choices that contain all typed words. */
  get matches(): TaskChoice[] {
    const words = fold(this.filter).split(/[\s/]+/)
    return this.#choices.filter(({ link, notes = '' }) => {
      const text = fold(`${pathOf(link).join(' ')} ${link.label} ${notes}`)
      return words.every((word) => text.includes(word))
    })
  }

  /** The position of the selected choice in `matches`. */
  get selected(): number {
    return Math.max(0, Math.min(this.#selected, this.matches.length - 1))
  }

  /** Applies a key. Returns the choice that Enter confirms. */
  press(key: Key): TaskChoice | undefined {
    if ('text' in key) this.#setFilter(this.filter + key.text)
    else if ('pasted' in key) this.#setFilter(this.filter + key.pasted.replace(/\s+/g, ' '))
    else if (key.name === 'backspace') this.#setFilter([...this.filter].slice(0, -1).join(''))
    else if (key.name === 'ctrl-u') this.#setFilter('')
    else if (key.name === 'up' || key.name === 'ctrl-p') this.#selected = Math.max(0, this.selected - 1)
    else if (key.name === 'down' || key.name === 'ctrl-n')
      this.#selected = Math.min(this.matches.length - 1, this.selected + 1)
    else if (key.name === 'return' || key.name === 'enter') return this.matches[this.selected]
    return undefined
  }

  #setFilter(filter: string) {
    this.filter = filter.slice(0, 200)
    this.#selected = 0
  }
}

/** Returns the tasks and notes of finished entries, the latest first, each once. */
function recentChoices(entries: readonly Entry[]): TaskChoice[] {
  const choices = new Map<string, TaskChoice>()
  for (const { link, notes, end } of [...entries].reverse()) {
    if (!link?.active || !end) continue
    const choice = { link, notes: notes || undefined }
    if (!choices.has(keyOf(choice))) choices.set(keyOf(choice), choice)
  }
  return [...choices.values()].slice(0, maxRecent)
}

function keyOf({ link, notes = '' }: TaskChoice): string {
  return `${link.id}\n${notes}`
}
