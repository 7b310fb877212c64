// @module-tag slow

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Commit, readCommits } from '../../../../src/lib/git/commits.js'
import { createGitRepository, type GitRepository } from '../../../support/git-repository.js'
import { temporaryDirectory } from '../../../support/process.js'

const day = { start: new Date('2024-05-01T00:00:00Z'), end: new Date('2024-05-02T00:00:00Z') }

function commitsOf({ directory, env }: GitRepository, range = day): Promise<Commit[]> {
  return readCommits(range, { directory, env })
}

async function subjectsOf(repository: GitRepository): Promise<string[]> {
  return (await commitsOf(repository)).map(({ subject }) => subject)
}

test('returns the commits of the user in the range, of all branches and a detached HEAD, oldest first', async () => {
  const repository = createGitRepository()
  const { git, commit } = repository
  git('config', 'user.email', 'Ada@example.com')
  commit('2024-04-30T23:59:59Z', 'before')
  commit('2024-05-01T00:00:00Z', 'first')
  commit('2024-05-01T11:00:00Z', 'of another', { email: 'bob@example.com' })
  git('checkout', '-q', '-b', 'feature')
  commit('2024-05-01T10:00:00+02:00', 'feature', { email: 'ADA@example.com' })
  git('checkout', '-q', '--detach')
  commit('2024-05-01T12:00:00Z', 'detached')
  git('tag', 'kept')
  git('checkout', '-q', 'main')
  commit('2024-05-02T00:00:00Z', 'after')
  expect(await subjectsOf(repository)).toEqual(['first', 'feature'])
  git('checkout', '-q', 'kept')
  const commits = await commitsOf(repository)
  expect(commits.map(({ subject }) => subject)).toEqual(['first', 'feature', 'detached'])
  expect(commits[1]).toEqual({
    hash: git('rev-parse', 'feature'),
    time: new Date('2024-05-01T08:00:00Z'),
    subject: 'feature',
  })
})

test('uses the author date after a rebase, and counts copies on other branches once', async () => {
  const repository = createGitRepository()
  const { git, commit } = repository
  commit('2024-04-01T09:00:00Z', 'root')
  git('branch', 'old')
  commit('2024-05-01T09:00:00Z', 'work', { committed: '2024-06-20T09:00:00Z' })
  git('checkout', '-q', 'old')
  commit('2024-05-01T09:00:00Z', 'work')
  commit('2024-04-20T09:00:00Z', 'earlier work', { committed: '2024-05-01T10:00:00Z' })
  expect(await commitsOf(repository)).toMatchObject([{ hash: git('rev-parse', 'main'), subject: 'work' }])
})

test('finds commits with the address that the mailmap gives them', async () => {
  const repository = createGitRepository()
  const { directory, git, commit } = repository
  writeFileSync(join(directory, '.mailmap'), 'Ada <ada@example.com> <old@example.com>\n')
  git('add', '.mailmap')
  commit('2024-05-01T09:00:00Z', 'by the old address', { email: 'old@example.com' })
  expect(await subjectsOf(repository)).toEqual(['by the old address'])
})

test('works in a subdirectory, a linked worktree and a bare repository, and with GIT_DIR', async () => {
  const { directory, env, git, commit } = createGitRepository()
  commit('2024-05-01T09:00:00Z', 'one')
  mkdirSync(join(directory, 'src'))
  const worktree = join(temporaryDirectory(), 'tree')
  git('worktree', 'add', '-q', worktree)
  const bare = join(temporaryDirectory(), 'bare.git')
  git('clone', '-q', '--bare', '.', bare)
  execFileSync('git', ['config', 'user.email', 'ada@example.com'], { cwd: bare, env })
  for (const place of [join(directory, 'src'), worktree, bare, join(directory, '.git')])
    expect(await readCommits(day, { directory: place, env })).toHaveLength(1)
  const elsewhere = { directory: temporaryDirectory(), env: { ...env, GIT_DIR: join(directory, '.git') } }
  expect(await readCommits(day, elsewhere)).toHaveLength(1)
})

test('a repository without commits has none', async () => {
  expect(await commitsOf(createGitRepository())).toEqual([])
  expect(await commitsOf(createGitRepository({ bare: true }))).toEqual([])
})

test('keeps characters of subjects, and reads them all where many commits are in the range', async () => {
  const repository = createGitRepository()
  const { directory, env } = repository
  const subject = 'a\u001b[31m "b" \u001f ü 🎉 %H'
  const count = 3000
  const commits = Array.from({ length: count }, (_, index) => {
    const text = index === 0 ? subject : `commit ${index}`
    const seconds = Date.parse('2024-05-01T00:00:00Z') / 1000 + index * 20
    const who = `Ada <ada@example.com> ${seconds} +0000`
    const from = index === 0 ? '' : 'from refs/heads/main^0\n'
    return `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\ndata ${Buffer.byteLength(text)}\n${text}\n${index === 0 ? from : ''}\n`
  })
  execFileSync('git', ['fast-import', '--quiet'], { cwd: directory, env, input: commits.join('') })
  const found = await commitsOf(repository)
  expect(found).toHaveLength(count)
  expect(found[0]?.subject).toBe(subject)
})

test('runs no program of the repository: no hook, pager, signature check or file monitor', async () => {
  const { directory, env, git, commit } = createGitRepository()
  commit('2024-05-01T09:00:00Z', 'one')
  const signed = git('cat-file', 'commit', 'HEAD').replace(
    /^(committer .*)$/m,
    '$1\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----',
  )
  const input = signed.replace(/one$/, 'signed')
  const hash = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
    cwd: directory,
    env,
    input,
  })
  git('update-ref', 'refs/heads/main', String(hash).trim())
  const trace = join(directory, 'started')
  const script = join(directory, 'script')
  writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> '${trace}'\n`, { mode: 0o755 })
  for (const setting of ['core.pager', 'core.fsmonitor', 'gpg.program', 'diff.external', 'core.editor'])
    git('config', setting, script)
  git('config', 'log.showSignature', 'true')
  git('config', 'core.hooksPath', directory)
  expect(await readCommits(day, { directory, env: { ...env, GIT_PAGER: script } })).toHaveLength(1)
  expect(execFileSync('ls', { cwd: directory, encoding: 'utf8' })).not.toContain('started')
})

test('fetches no missing commit with a program of the repository, and names the error of git', async () => {
  const { directory, env, git, commit } = createGitRepository()
  for (const subject of ['one', 'two', 'three']) commit('2024-05-01T09:00:00Z', subject)
  const hash = git('rev-parse', 'HEAD~1').trim()
  rmSync(join(directory, '.git', 'objects', hash.slice(0, 2), hash.slice(2)))
  const script = join(directory, 'script')
  writeFileSync(script, `#!/bin/sh\ntouch '${join(directory, 'started')}'\n`, { mode: 0o755 })
  for (const [name, value] of [
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.url', directory],
    ['remote.origin.uploadpack', script],
    ['protocol.file.allow', 'always'],
  ] as const)
    git('config', name, value)
  // As a git without GIT_NO_LAZY_FETCH.
  const old = join(directory, 'git')
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  writeFileSync(old, `#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec '${real}' "$@"\n`, { mode: 0o755 })
  for (const path of [env.PATH, `${directory}:${env.PATH}`]) {
    const failing = readCommits(day, { directory, env: { ...env, PATH: path } })
    await expect(failing).rejects.toThrow(
      /^git cannot list the commits of .*: Failed to traverse parents of commit \w+\.$/,
    )
  }
  expect(existsSync(join(directory, 'started'))).toBe(false)
})

test('takes git from the absolute directories of PATH only', async () => {
  const { directory, env } = createGitRepository()
  writeFileSync(join(directory, 'git'), '#!/bin/sh\necho hijacked\n', { mode: 0o755 })
  for (const PATH of ['', '.', ':', './bin:.'])
    await expect(readCommits(day, { directory, env: { ...env, PATH } })).rejects.toMatchObject({
      code: 'failure',
      message: 'git was not found in the directories of PATH.',
    })
})

test('explains that there is no repository, no address, or no permission to read', async () => {
  const { directory, env, git } = createGitRepository()
  const nowhere = temporaryDirectory()
  await expect(readCommits(day, { directory: nowhere, env })).rejects.toMatchObject({
    message: `There is no git repository in ${nowhere} or above it.`,
  })
  git('config', '--unset', 'user.email')
  await expect(readCommits(day, { directory, env })).rejects.toMatchObject({
    code: 'usage',
    message: 'git does not know which commits are yours: user.email is not set.',
    hint: 'Run `git config user.email ADDRESS`.',
  })
  const foreign = { ...env, GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' }
  await expect(readCommits(day, { directory, env: foreign })).rejects.toMatchObject({
    message: expect.stringMatching(/^git refuses to read .*, because another user owns it\.$/),
    hint: expect.stringContaining('safe.directory'),
  })
  writeFileSync(join(directory, '.git', 'config'), '[core\n')
  await expect(readCommits(day, { directory, env })).rejects.toMatchObject({
    message: expect.stringContaining('bad config line 1'),
  })
})
