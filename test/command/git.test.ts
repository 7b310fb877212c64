// @module-tag slow

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createGitRepository, type GitRepository } from '../support/git-repository.js'
import { rejection } from '../support/rejection.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

/** Creates a workspace with two entries on 2024-05-01, in a directory that is a git repository. */
async function createWorkspace(): Promise<TestCli & { repository: GitRepository }> {
  const cli = createTestCli('2024-05-01T17:00:00')
  await cli.json('add', 'Acme/Website/Design', '--from', '9:00', '--to', '10:30', '-n', 'first page')
  await cli.json('add', 'Acme/Website/Review', '--from', '10:30', '--to', '12:00')
  const repository = createGitRepository({ directory: cli.home })
  Object.assign(cli.env, repository.env)
  return { ...cli, repository }
}

const local = (time: string) => new Date(`2024-05-01T${time}`).toISOString()

test('tt log --git shows the commits of each entry, and lists those in none', async () => {
  const { run, runInTerminal, json, repository } = await createWorkspace()
  repository.commit(local('09:10'), 'Draw the header')
  repository.commit(local('10:29'), 'Add a\u001b[2J logo')
  repository.commit(local('12:00'), 'Review it')
  repository.commit(local('14:05'), 'Fix the footer')
  const entries = await json<{ commits: { hash: string; time: string; subject: string }[] }[]>(
    ...['log', 'today', '--git'],
  )
  expect(entries.map(({ commits }) => commits.map(({ subject }) => subject))).toEqual([
    ['Draw the header', 'Add a\u001b[2J logo'],
    ['Review it'],
  ])
  expect(entries[1]?.commits[0]?.hash).toBe(repository.git('rev-parse', 'HEAD~1'))
  expect(new Date(entries[1]?.commits[0]?.time ?? '')).toEqual(new Date(local('12:00')))
  expect(await json<object[]>('log', 'today')).not.toHaveProperty('0.commits')

  const { stdout, stderr } = await runInTerminal(200, 'log', 'today', '--git')
  expect(stdout).toMatch(/Notes +Commits\n/)
  expect(stdout).toMatch(/first page {2}[0-9a-f]{7} Draw the header; [0-9a-f]{7} Add a\\x1b\[2J logo\n/)
  expect(stderr).toMatch(
    /^1 commit is in no entry:\n {2}Wed 2024-05-01 14:05 {2}[0-9a-f]{7} Fix the footer\n$/,
  )
  expect((await run('log', 'today', '--git', '--task', 'Design')).stderr).toBe('')
  expect((await run('log', 'today', '--git', '--fields', 'id,commits')).stdout).toContain('Draw the header')
})

test.each([60, 120])('tt log --git fits into %i columns', async (columns) => {
  const { runInTerminal, repository } = await createWorkspace()
  for (let minute = 10; minute < 16; minute++)
    repository.commit(local(`09:${minute}`), `Change part ${minute} of the page and its tests`)
  const { stdout } = await runInTerminal(columns, 'log', 'today', '--git')
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
  for (let minute = 10; minute < 16; minute++) expect(stdout.replace(/\s+/g, ' ')).toContain(`${minute}`)
})

test('tt check --git proposes entries that tt add accepts', async () => {
  const { run, runInTerminal, json, repository, home } = await createWorkspace()
  await json('config', 'set', 'working_hours', '9:00-17:00')
  repository.commit(local('09:30'), 'Draw the header')
  repository.commit(local('12:20'), "It's the footer")
  repository.commit(local('13:00'), '$(rm -rf /) `x`')
  repository.commit(local('15:45'), 'Fix it')
  repository.commit(local('07:30'), 'Before breakfast')
  const check = ['check', 'today', '--gaps', '--git']
  const [gap] = await json<{ what: string; mend: string; proposals: object[] }[]>(...check)
  expect(gap?.what).toBe('Nothing was tracked, 3 commits')
  expect(gap?.mend).toBe('tt add TASK --from "2024-05-01 12:00" --to "2024-05-01 17:00"')
  expect(gap?.proposals).toMatchObject([
    {
      seconds: 3600,
      command: `tt add TASK --from "2024-05-01 12:00" --to "2024-05-01 13:00" -n 'It'\\''s the footer; $(rm -rf /) \`x\`'`,
      commits: [{ subject: "It's the footer" }, { subject: '$(rm -rf /) `x`' }],
    },
    {
      seconds: 3600,
      command: `tt add TASK --from "2024-05-01 14:45" --to "2024-05-01 15:45" -n 'Fix it'`,
    },
  ])
  writeFileSync(join(home, '.tt.json'), '{"task":"Acme/Website/Design"}')
  const { stdout, stderr } = await runInTerminal(100, ...check)
  expect(stdout).toContain(
    '   from commits: tt add Acme/Website/Design --from "2024-05-01 14:45" --to "2024-05-01 15:45" -n \'Fix it\'\n',
  )
  expect(stderr).toContain(
    '1 commit is in neither an entry nor a gap in working hours:\n  Wed 2024-05-01 07:30',
  )
  const added = ['add', 'Acme/Website/Design', '--from', '2024-05-01 14:45', '--to', '2024-05-01 15:45']
  expect(await run(...added, '-n', 'Fix it')).toMatchObject({ status: 0 })
  const after = await json<{ proposals: object[] }[]>(...check)
  expect(after.map(({ proposals }) => proposals.length)).toEqual([1, 0])
  expect(await json<object[]>('check', 'today', '--gaps')).not.toHaveProperty('0.proposals')
})

test('--git names what is missing', async () => {
  const { run, repository, env } = await createWorkspace()
  expect(await run('check', 'today', '--long', '--git')).toMatchObject(rejection(2, '--git requires --gaps.'))
  expect(await run('log', '--git', '-o', 'x.ics')).toMatchObject(
    rejection(2, '--git and -o x.ics cannot be used together.'),
  )
  repository.git('config', '--unset', 'user.email')
  expect(await run('log', 'today', '--git')).toMatchObject(rejection(2, 'user.email is not set.'))
  env.PATH = ''
  expect(await run('log', 'today', '--git')).toMatchObject(
    rejection(1, 'git was not found in the directories of PATH.'),
  )
  expect(await run('log', 'today')).toMatchObject({ status: 0 })
})
