import type { Reporter, TestModule } from 'vitest/node'

/** Lists the skipped tests and their reasons at the end of a run; after all unit or command tests, also other projects. */
export default class SkippedTestsReporter implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]) {
    const lines = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map((test) => {
        const result = test.result()
        const reason = result.state === 'skipped' && result.note ? ` (${result.note})` : ''
        return `${test.fullName}${reason}`
      }),
    )
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
