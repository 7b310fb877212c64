// The mutants: small mistakes in the program. A test must notice each of them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * @typedef {object} Mutant
 * @property {string} list the file in lists/ that contains it
 * @property {string} file the file that it changes
 * @property {string} name what the program does wrong, in the words of the rule that it breaks
 * @property {string} replace text that occurs exactly once in the file
 * @property {string} with
 * @property {string} test the test file that fails; empty if none is known
 * @property {string} survives why no test can fail; empty if one must
 */

const directory = new URL('lists/', import.meta.url)

/** Names of the properties by the mark that begins their lines. */
const marks = /** @type {const} */ ({ '-': 'replace', '+': 'with', '?': 'survives' })

/** @type {Mutant[]} */
export const mutants = readdirSync(directory).flatMap((list) =>
  parseList(readFileSync(new URL(list, directory), 'utf8'), list),
)

/**
 * Reads the mutants of a list. A line that begins with a mark belongs to the mutant above it. A path is the file of the
 * mutants below it, or, with `test/`, the test file that fails for them. Any other line is the name of a mutant. Lines
 * with `#` are comments.
 *
 * @param {string} text
 * @param {string} list
 */
export function parseList(text, list) {
  /** @type {Mutant[]} */
  const parsed = []
  let [file, test, last] = ['', '', '']
  for (const line of text.split('\n')) {
    const mutant = parsed.at(-1)
    const mark = line.slice(0, 1)
    if (line === '' || mark === '#') continue
    if (/^test\/\S+$/.test(line)) test = line
    else if (/^\S+\/\S+$/.test(line)) [file, test] = [line, '']
    else if (!isMark(mark)) parsed.push({ list, file, name: line, replace: '', with: '', test, survives: '' })
    else if (mutant) mutant[marks[mark]] += `${mark === last ? '\n' : ''}${line.slice(2)}`
    if (mutant && mark === '?') mutant.test = ''
    last = mark
  }
  return parsed
}

/**
 * Returns the text of a list with these mutants, below the comment.
 *
 * @param {string} comment
 * @param {Mutant[]} listed
 */
export function formatList(comment, listed) {
  const lines = [comment]
  let [file, test] = ['', '']
  for (const mutant of listed) {
    if (mutant.file !== file) {
      file = mutant.file
      test = ''
      lines.push('', file)
    }
    if (mutant.test !== '' && mutant.test !== test) lines.push(mutant.test)
    test = mutant.test || test
    lines.push(mutant.name)
    for (const [mark, property] of Object.entries(marks)) {
      if (mutant[property] !== '')
        lines.push(...mutant[property].split('\n').map((line) => `${mark} ${line}`))
    }
  }
  return `${lines.join('\n')}\n`
}

/**
 * Writes the list of a mutant that has changed.
 *
 * @param {Mutant} mutant
 */
export function writeList({ list }) {
  const path = new URL(list, directory)
  const [comment = ''] = readFileSync(path, 'utf8').split('\n\n')
  writeFileSync(
    path,
    formatList(
      comment,
      mutants.filter((mutant) => mutant.list === list),
    ),
  )
}

/**
 * Returns the text of the file with the mistake. Throws if the replaced text does not occur exactly once.
 *
 * @param {string} text
 * @param {Pick<Mutant, 'replace' | 'with'>} mutant
 */
export function applyMutant(text, mutant) {
  const parts = text.split(mutant.replace)
  if (parts.length !== 2) throw new Error(`the text to replace occurs ${parts.length - 1} times`)
  return parts.join(mutant.with)
}

/**
 * @param {string} character
 * @returns {character is keyof typeof marks}
 */
function isMark(character) {
  return character in marks
}
