import type { Reporter, TestModule } from 'vitest/node'

/** Lists the skipped tests and their reasons at the end of a run. */
export default class SkippedTestsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]) {
    const projects = new Set(modules.map(({ project }) => project.name))
    const lines = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map((test) => {
        const result = test.result()
        const reason = result.state === 'skipped' && result.note ? ` (${result.note})` : ''
        return `${test.fullName}${reason}`
      }),
    )
    for (const name of ['long', 'acceptance'])
      if (!projects.has(name)) lines.push(`the ${name} tests (npm run test:${name})`)
    if (lines.length > 0) process.stdout.write(`Skipped:\n${lines.map((line) => `  ${line}\n`).join('')}\n`)
  }
}
