// Runs tests of a copy of the checkout again and again in one Vitest, which keeps the transformed modules.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { createVitest } from 'vitest/node'

/** Longer than one file, and all, need on a busy machine: only a mutant that never ends reaches that. */
const timeoutMs = { one: 240_000, all: 3_600_000 }

/** @typedef {{ file: string, title: string }} Failure the failed test file, and the title of its first failed test */

/**
 * Opens the tests of a copy of the checkout.
 *
 * @param {string} copy
 */
export async function openTests(copy) {
  const vitest = await createVitest(
    'test',
    {
      root: copy,
      watch: false,
      bail: 1,
      maxWorkers: 2,
      project: ['unit', 'command', 'long', 'acceptance'],
      reporters: [{}],
    },
    { cacheDir: join(copy, '.vite') },
  )
  const specifications = await vitest.globTestSpecifications()
  /** @type {Map<string, boolean>} */
  const passing = new Map()

  /** @param {import('vitest/node').TestSpecification[]} selected */
  async function runSpecifications(selected) {
    if (selected.length === 0) return undefined
    if (selected.some(({ project }) => project.name === 'acceptance')) build(copy)
    let isTimeout = false
    const timer = setTimeout(
      () => {
        isTimeout = true
        for (let call = 0; call < 2; call++) void vitest.cancelCurrentRun('keyboard-input') // The second ends the processes.
      },
      selected.length === 1 ? timeoutMs.one : timeoutMs.all,
    )
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(selected)
    clearTimeout(timer)
    const [first] = selected
    const failed = selected
      .map(({ moduleId }) => testModules.find((module) => module.moduleId === moduleId))
      .find((module) => module?.state() === 'failed')
    if (failed) {
      const [test] = failed.children.allTests('failed')
      return { file: failed.relativeModuleId, title: test?.fullName ?? 'all' }
    }
    return first && (isTimeout || unhandledErrors.length > 0)
      ? { file: relative(first), title: 'all' }
      : undefined
  }

  /** @param {import('vitest/node').TestSpecification} specification */
  const relative = ({ moduleId }) => moduleId.slice(copy.length + 1)

  return {
    /** The unit and command tests, except for the test of the mutants: their text is missing where one is applied. */
    files: specifications
      .map(relative)
      .filter((file) => /^test\/(unit|command)\//.test(file) && file !== 'test/unit/mutants.test.ts'),

    /**
     * Runs test files until the first failure.
     *
     * @param {string[]} files
     * @returns {Promise<Failure | undefined>}
     */
    run: (files) => runSpecifications(specifications.filter((one) => files.includes(relative(one)))),

    /**
     * Returns whether all tests of a file pass. The files in the copy must be those of the checkout.
     *
     * @param {string} file
     */
    async passes(file) {
      const result = passing.get(file) ?? !(await this.run([file]))
      passing.set(file, result)
      return result
    },

    /**
     * Makes the next run load a file again.
     *
     * @param {string} file
     */
    forget: (file) => vitest.invalidateFile(file),

    close: () => vitest.close(),
  }
}

/** @param {string} copy */
function build(copy) {
  execFileSync(process.execPath, ['src/build/build.mjs'], { cwd: copy, stdio: ['ignore', 'ignore', 'pipe'] })
}
