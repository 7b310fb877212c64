import { segmentsOf } from '../../lib/text/match-names.js'
import { quoteWord } from '../../lib/text/shell-quoting.js'
import { type Path, pathOfTask } from '../../tracking/catalog/renamed-path.js'

/**
 * Returns the command line of an alias with the new names. Words with a slash are paths; a single name is one only after
 * --client, --project and --task, and as the task of `start` and `add`.
 *
 * @param rename returns the path of client, project and task with the new names; undefined for another one
 */
export function renameInCommand(expansion: string, rename: (path: Path) => Path | undefined): string {
  let before: string | undefined
  return expansion.replace(
    /"([^"\\]*)"|'([^']*)'|[^\s"'=]+/g,
    (raw: string, double?: string, single?: string) => {
      const word = double ?? single ?? raw
      const term = before
      before = word
      for (const [path, end] of pathsOf(word, term)) {
        const renamed = rename(path)
        if (!renamed) continue
        const names = renamed.slice(renamed.length - segmentsOf(word).length - end, renamed.length - end)
        return quoteWord(names.join('/'))
      }
      return raw
    },
  )
}

/** Returns the paths that a word may mean, each with the number of levels after the last name. */
function pathsOf(word: string, term: string | undefined): [Path, number][] {
  const names = segmentsOf(word)
  const asTask: [Path, number] = [pathOfTask(names), 0]
  const asProject: [Path, number] = [[...pathOfTask(names).slice(1), '*'], 1]
  if (word.startsWith('-') || names.length === 0 || names.length > 3) return []
  if (names.length === 3) return [asTask]
  if (term === '--project') return [asProject]
  if (names.length === 2) return [asTask, asProject]
  if (term === '--client') return [[[word, '*', '*'], 2]]
  return term === '--task' || term === 'start' || term === 'add' ? [asTask] : []
}
