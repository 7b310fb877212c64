import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

interface Job {
  permissions?: Record<string, string>
  strategy?: { matrix: { os: string[]; node: number[] } }
  steps: { run?: string }[]
}

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const { scripts, engines } = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>
  engines: { node: string }
}
const files = readdirSync(new URL('.github/workflows', root))
const workflows = new Map<string, { jobs: Record<string, Job> }>(
  files.map((file) => [file, parse(read(`.github/workflows/${file}`))]),
)
const jobsOf = (file: string) => workflows.get(file)?.jobs ?? {}
const lines = (job: Job | undefined) => (job?.steps ?? []).flatMap(({ run }) => run?.split('\n') ?? [])

/** Returns the names of the scripts of package.json that lines of a shell run. */
const scriptsIn = (commands: string[]) =>
  commands.flatMap((line) => /npm (?:run )?(?!ci|install|pack|pkg|publish)([\w:]+)/.exec(line)?.[1] ?? [])

test('workflows run existing scripts', () => {
  const commands = [...workflows.values()].flatMap(({ jobs }) => Object.values(jobs).flatMap(lines))
  const names = scriptsIn([...commands, ...read('.ci/run').split('\n')])
  expect(names).toContain('test:smoke')
  expect(names.filter((name) => scripts[name] === undefined)).toEqual([])
})

test('every supported Node version is tested on Linux, macOS and Windows, in the shell of each', () => {
  const { systems } = jobsOf('ci.yml')
  expect(systems?.strategy?.matrix).toEqual({
    os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
    node: [20, 22, 24, 26],
  })
  expect(engines.node).toBe('>=20.19')
  const names = scriptsIn(lines(systems))
  expect(names).toEqual(['test', 'test:smoke'])
  // PowerShell and cmd set and read no variables like this.
  for (const name of [...names, 'prepare', 'build']) expect(scripts[name]).not.toMatch(/\$|^\w+=|['"]/)
})

test('only the job that publishes may sign, and it publishes the tested package with provenance', () => {
  const jobs = jobsOf('release.yml')
  const signing = Object.keys(jobs).filter((name) => jobs[name]?.permissions?.['id-token'] === 'write')
  expect(signing).toEqual(['publish'])
  expect(lines(jobs.publish)).toEqual(['npm publish ./*.tgz --provenance --access public'])
  expect(jobs.publish).toMatchObject({ needs: 'test' })
  expect(jobs.test).toMatchObject({ needs: 'pack' })
  expect(jobs.pack).toMatchObject({ needs: 'complete' })
  expect(lines(jobs.complete)).toEqual(['TT_SHARE=1 bash .ci/run'])
})

test.runIf(process.platform !== 'win32')('.ci/run is valid in Bash', () => {
  execFileSync('bash', ['-n', '.ci/run'], { cwd: root })
})
