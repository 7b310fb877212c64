// Tests every mutant of lists/ and writes there which test file fails. Usage: npm run mutants [-- [OPTIONS] [PART OF A NAME OR FILE]]
//   --again       test mutants again whose file and test have not changed since their outcome
//   --test=TEST   run this test after the one that failed before, such as --test=acceptance/restore
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyCheckout, root } from './checkout.js'
import { applyMutant, mutants, writeList } from './mutants.js'
import { hashOf, readProgress, writeProgress } from './progress.js'
import { openTests } from './tests.js'

/** @typedef {import('./mutants.js').Mutant} Mutant */
/** @typedef {Awaited<ReturnType<typeof openTests>>} Tests */

const words = process.argv.slice(2)
const isAgain = words.includes('--again')
const chosen = words
  .flatMap((word) => /^--test=(.*)/.exec(word)?.slice(1) ?? [])
  .map((name) => `test/${name}.test.ts`)
const missing = chosen.filter(
  (file) => !/^test\/(unit|command|long|acceptance)\//.test(file) || !existsSync(join(root, file)),
)
if (missing.length > 0) {
  print(`No such test: ${missing.join(', ')}`)
  process.exit(2)
}
const part = words
  .filter((word) => !word.startsWith('--'))
  .join(' ')
  .toLowerCase()
const selected = mutants.filter(({ name, file }) => `${file} ${name}`.toLowerCase().includes(part))
const progress = readProgress()
if (isAgain) for (const { name } of selected) progress.delete(name)
process.on('SIGINT', () => process.exit(130))

const startMs = Date.now()
const queue = selected.filter(
  (mutant) => !progress.has(mutant.name) || progress.get(mutant.name) !== currentHash(mutant, root),
)
/** @type {string[]} */
const unexpected = []
if (queue.length > 0) await testQueue()
report()

/** Tests the mutants of the queue in a copy of the checkout. */
async function testQueue() {
  const copy = copyCheckout()
  const tests = await openTests(copy)
  for (const mutant of queue) {
    const startMs = Date.now()
    const { outcome, isExpected } = await test(mutant, copy, tests)
    const hash = isExpected && currentHash(mutant, copy)
    if (hash) progress.set(mutant.name, hash)
    writeProgress(progress)
    const line = `${mutant.file}: ${mutant.name}: ${outcome}`
    if (!isExpected) unexpected.push(line)
    print(`${line} (${Math.round((Date.now() - startMs) / 1000)} s)`)
  }
  await tests.close()
}

/**
 * Applies a mutant to a copy, runs tests until one fails, and writes that test into the list.
 *
 * @param {Mutant} mutant
 * @param {string} copy
 * @param {Tests} tests
 */
async function test(mutant, copy, tests) {
  const path = join(copy, mutant.file)
  try {
    const text = readFileSync(path, 'utf8')
    const write = (/** @type {string} */ content) => {
      writeFileSync(path, content)
      tests.forget(path)
    }
    write(applyMutant(text, mutant))
    const failure = await firstFailure(mutant, tests).finally(() => write(text))
    if (failure && !(await tests.passes(failure.file)))
      throw new Error(`${failure.file} fails without the mutant, too`)
    mutant.test = failure?.file ?? ''
    writeList(mutant)
    const outcome = failure ? `died: ${failure.file} > ${failure.title}` : `survived: ${mutant.survives}`
    return { outcome, isExpected: (mutant.survives === '') === (failure !== undefined) }
  } catch (error) {
    return { outcome: `failed: ${error instanceof Error ? error.message : String(error)}`, isExpected: false }
  }
}

/**
 * Returns the first failure of: the test file that failed for this mutant before, the chosen ones, and all unit and
 * command tests.
 *
 * @param {Mutant} mutant
 * @param {Tests} tests
 */
async function firstFailure(mutant, tests) {
  return (await tests.run([mutant.test])) ?? (await tests.run(chosen)) ?? tests.run(tests.files)
}

/**
 * Returns a hash of the mutated file and of the test that fails, if any; undefined if one of them does not fit.
 *
 * @param {Mutant} mutant
 * @param {string} directory with the files
 */
function currentHash(mutant, directory) {
  if ((mutant.survives === '') === (mutant.test === '')) return undefined
  try {
    const textOf = (/** @type {string} */ file) => readFileSync(join(directory, file), 'utf8')
    return hashOf(
      applyMutant(textOf(mutant.file), mutant),
      ...(mutant.test === '' ? [] : [textOf(mutant.test)]),
    )
  } catch {
    return undefined // The mutant does not fit to the file any more, or the test does not exist.
  }
}

/** Prints what is to be done, and the numbers. */
function report() {
  if (unexpected.length > 0) print(`\nTo do:\n${unexpected.join('\n')}`)
  const died = selected.filter(({ test }) => test !== '').length
  const minutes = ((Date.now() - startMs) / 60_000).toFixed(1)
  print(`\n${selected.length} mutants: ${died} died, ${selected.length - died} did not.`)
  print(
    `Tested ${queue.length} in ${minutes} minutes; the others have not changed (--again tests them, too).`,
  )
  process.exit(unexpected.length > 0 ? 1 : 0)
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`)
}
