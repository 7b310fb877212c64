import type { HistoryStep } from './history.js'

/** Merges the steps of each record into one, at the position of the last. A record that is created again has another one. */
export function mergeSteps(steps: readonly HistoryStep[]): HistoryStep[] {
  const merged: (HistoryStep | undefined)[] = []
  /** The position of the step that a later one of the same record is merged with. */
  const positions = new Map<string, number>()
  for (const step of steps) {
    const { kind, record, after } = step
    const key = `${kind} ${record}`
    const position = positions.get(key)
    const first = position === undefined ? undefined : merged[position]
    if (position !== undefined) merged[position] = undefined
    if (after) positions.set(key, merged.length)
    else positions.delete(key)
    merged.push(first ? { ...step, before: first.before } : step)
  }
  return merged.filter((step) => step !== undefined)
}
