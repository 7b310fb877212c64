import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/**
 * Notices that another process has changed a file. The change time is what counts; events of the operating system only
 * say when to look, because some file systems send none.
 */
export class WatchedFiles {
  readonly #paths: readonly string[]
  readonly #watchers: FSWatcher[] = []
  #seen: string

  /** @param onEvent called after an event of one of the files; it may have been caused by this process */
  constructor(paths: readonly string[], onEvent: () => void) {
    this.#paths = paths
    this.#seen = this.#signature()
    const names = new Set(paths.map((path) => basename(path)))
    for (const directory of new Set(paths.map((path) => dirname(path)))) {
      try {
        const watcher = watch(directory, { persistent: false }, (_, name) => {
          if (name === null || names.has(name)) onEvent()
        })
        watcher.on('error', () => watcher.close()) // The directory was removed.
        this.#watchers.push(watcher)
      } catch {
        // No directory yet, or no events left: the change time shows the same, up to a second later.
      }
    }
  }

  /** Returns whether a file has changed since the last call. */
  hasChanged(): boolean {
    const now = this.#signature()
    const changed = now !== this.#seen
    this.#seen = now
    return changed
  }

  close() {
    for (const watcher of this.#watchers) watcher.close()
  }

  #signature(): string {
    return this.#paths.map(fingerprint).join('\n')
  }
}

function fingerprint(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    // SQLite creates an empty log to read, and removes it again.
    if (!stats || stats.size === 0) return ''
    return `${stats.ino} ${stats.size} ${stats.mtimeMs}`
  } catch {
    return 'unreadable'
  }
}
