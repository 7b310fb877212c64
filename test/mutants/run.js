// Tests every mutant of lists/ and writes results.tsv. Usage: npm run mutants [-- [OPTIONS] [PART OF A NAME OR FILE]]
//   --again       test mutants again whose file and test have not changed since their outcome
//   --test=TEST   run this test after the one that failed before, such as --test=acceptance/restore
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyCheckout, root } from './checkout.js'
import { applyMutant, mutants } from './mutants.js'
import { hashOf, knownTest, readProgress, readRecord, writeProgress, writeRecord } from './record.js'
import { openTests } from './tests.js'

/** @typedef {import('./mutants.js').Mutant} Mutant */
/** @typedef {import('./record.js').Outcome} Outcome */
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
const before = readRecord()
const outcomes = new Map(before)
const progress = readProgress()
if (isAgain) for (const { name } of selected) progress.delete(name)
process.on('SIGINT', () => process.exit(130))

const startMs = Date.now()
const queue = selected.filter(
  ({ name }) => !progress.has(name) || progress.get(name) !== currentHash(name, root),
)
const tested = queue.length
if (tested > 0) await testQueue()
report()

/** Tests the mutants of the queue in a copy of the checkout. */
async function testQueue() {
  const copy = copyCheckout()
  const tests = await openTests(copy)
  for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
    const startMs = Date.now()
    const { name } = mutant
    outcomes.set(name, await test(mutant, copy, tests))
    const hash = currentHash(name, copy)
    if (hash) progress.set(name, hash)
    writeRecord(
      outcomes,
      mutants.map((one) => one.name),
    )
    writeProgress(progress)
    print(`${describe(mutant)} (${Math.round((Date.now() - startMs) / 1000)} s)`)
  }
  await tests.close()
}

/**
 * Applies a mutant to a copy and runs tests until one fails.
 *
 * @param {Mutant} mutant
 * @param {string} copy
 * @param {Tests} tests
 * @returns {Promise<Outcome>}
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
    if (!failure) return { kind: 'survived', detail: mutant.survives ?? '' }
    if (!(await tests.passes(failure.file))) throw new Error(`${failure.file} fails without the mutant, too`)
    const detail = [failure.file, ...(failure.title ? [failure.title] : [])].join(' > ')
    return { kind: 'died', detail: detail.replaceAll(/\s+/g, ' ') }
  } catch (error) {
    return { kind: 'failed', detail: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * Returns the first failure of: the test that failed for this mutant before, its file, the chosen tests, and all unit and
 * command tests.
 *
 * @param {Mutant} mutant
 * @param {Tests} tests
 */
async function firstFailure({ name }, tests) {
  const known = knownTest(before.get(name))
  return (
    (known && ((await tests.runOne(known)) ?? (await tests.run([known.file])))) ??
    (await tests.run(chosen)) ??
    tests.run(tests.files)
  )
}

/**
 * Returns a hash of the mutated file and of the test that fails, if any; undefined unless the outcome is as expected.
 *
 * @param {string} name
 * @param {string} directory with the files
 */
function currentHash(name, directory) {
  const mutant = mutants.find((one) => one.name === name)
  if (!mutant || !isExpected(mutant)) return undefined
  const test = knownTest(outcomes.get(name))
  try {
    const textOf = (/** @type {string} */ file) => readFileSync(join(directory, file), 'utf8')
    return hashOf(applyMutant(textOf(mutant.file), mutant), ...(test ? [textOf(test.file)] : []))
  } catch {
    return undefined // The mutant does not fit to the file any more, or the test does not exist.
  }
}

/** Prints what is to be done, and the numbers. */
function report() {
  const unexpected = selected.filter((mutant) => !isExpected(mutant))
  if (unexpected.length > 0) print(`\nTo do:\n${unexpected.map(describe).join('\n')}`)
  const died = selected.filter(({ name }) => outcomes.get(name)?.kind === 'died').length
  const minutes = ((Date.now() - startMs) / 60_000).toFixed(1)
  print(`\n${selected.length} mutants: ${died} died, ${selected.length - died} did not.`)
  print(`Tested ${tested} in ${minutes} minutes; the others have not changed (--again tests them, too).`)
  process.exit(unexpected.length > 0 ? 1 : 0)
}

/** @param {Mutant} mutant */
function isExpected({ name, survives }) {
  return outcomes.get(name)?.kind === (survives ? 'survived' : 'died')
}

/** @param {Mutant} mutant */
function describe(mutant) {
  const outcome = outcomes.get(mutant.name)
  const fix = outcome?.kind === 'died' && mutant.survives ? '; remove `survives` from the list' : ''
  return `${outcome?.kind ?? 'not tested'}: ${mutant.file}: ${mutant.name}: ${outcome?.detail ?? ''}${fix}`
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`)
}
