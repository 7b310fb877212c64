/** A key of the screen of `tt watch`, for its footer, its help and `tt watch --help`. */
interface WatchKey {
  /** Names of the keys; the footer shows the first one. */
  keys: readonly string[]
  /** What the footer shows instead. */
  symbol?: string
  action: WatchAction
  /** What the footer says while no timer is running, and while one is; without a text the key is not shown. */
  idle?: string
  running?: string
  meaning: string
  /** Whether a narrow footer omits it. */
  isOptional?: boolean
}

export type WatchAction = 'chooseTask' | 'stop' | 'continue' | 'edit' | 'undo' | 'scroll' | 'help' | 'quit'

export const watchKeys: readonly WatchKey[] = [
  {
    keys: ['s', '/'],
    action: 'chooseTask',
    idle: 'start',
    running: 'switch',
    meaning: 'start a task, or switch to another one; type to filter the list',
  },
  { keys: ['x'], action: 'stop', running: 'stop', meaning: 'stop the timer' },
  {
    keys: ['c'],
    action: 'continue',
    idle: 'continue',
    running: 'continue',
    meaning: 'continue the last entry',
    isOptional: true,
  },
  { keys: ['e'], action: 'edit', idle: 'edit', running: 'edit', meaning: 'edit an entry of today' },
  { keys: ['u'], action: 'undo', idle: 'undo', running: 'undo', meaning: 'undo the last change' },
  {
    keys: ['up', 'down'],
    symbol: '↑↓',
    action: 'scroll',
    idle: 'scroll',
    running: 'scroll',
    meaning: 'scroll',
    isOptional: true,
  },
  {
    keys: ['?'],
    action: 'help',
    idle: 'help',
    running: 'help',
    meaning: 'show what the keys do',
    isOptional: true,
  },
  { keys: ['q'], action: 'quit', idle: 'quit', running: 'quit', meaning: 'quit' },
]

/** Returns the keys and what they do. */
export function watchKeyRows(): { term: string; meaning: string }[] {
  return watchKeys.map(({ keys, meaning }) => ({ term: keys.join(', '), meaning }))
}
