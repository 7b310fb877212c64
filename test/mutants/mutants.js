// The mutants: small mistakes in the program. A test must notice each of them.
import { lists } from './lists/lists.js'

/**
 * @typedef {object} ListedMutant
 * @property {string} name what the program does wrong, in the words of the rule that it breaks
 * @property {string} replace text that occurs exactly once in the file
 * @property {string} with
 * @property {string} [survives] why no test can fail
 *
 * @typedef {object} MutatedFile
 * @property {string} file
 * @property {ListedMutant[]} mutants
 *
 * @typedef {ListedMutant & Omit<MutatedFile, 'mutants'>} Mutant
 */

/** @type {Mutant[]} */
export const mutants = lists.flatMap(({ mutants, ...file }) =>
  mutants.map((mutant) => ({ ...file, ...mutant })),
)

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
