import type { Reporter, TestModule } from 'vitest/node'

/** Lists the skipped tests and their reasons at the end of a run; after all unit or command tests, also other projects. */
export default class SkippedTestsReporter implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]) {
    const skipped = modules.flatMap(({ children }) =>
      [...children.allTests('skipped')].map((test) => {
        const result = test.result()
        return { test, note: result.state === 'skipped' ? result.note : undefined }
      }),
    )
    const isLeftOut = ({ test, note }: (typeof skipped)[number]) => !note && test.tags.includes('slow')
    const lines = skipped
      .filter((one) => !isLeftOut(one))
      .map(({ test, note }) => `${test.fullName}${note ? ` (${note})` : ''}`)
    const slow = skipped.filter(isLeftOut).length
    if (slow > 0) lines.push(`${slow} slow tests (npm run test:long)`)
    const projects = new Set(modules.map(({ project }) => project.name))
    if (await isWholeRun(modules))
      for (const name of ['long', 'acceptance'])
        if (!projects.has(name)) lines.push(`the ${name} tests (npm run test:${name})`)
    if (lines.length > 0) process.stdout.write(`Skipped:\n${lines.map((line) => `  ${line}\n`).join('')}\n`)
  }
}

/** Whether all unit tests or all command tests were run. */
async function isWholeRun(modules: readonly TestModule[]): Promise<boolean> {
  for (const name of ['unit', 'command']) {
    const ofProject = modules.filter(({ project }) => project.name === name)
    const files = await ofProject[0]?.project.globTestFiles()
    if (files?.testFiles.length === ofProject.length) return true
  }
  return false
}
