import { execFileSync } from 'node:child_process'
import { temporaryDirectory } from './process.js'

export interface GitRepository {
  directory: string
  /** The environment of git: no settings of the machine or the user. */
  env: Record<string, string | undefined>
  git(...argv: string[]): string
  /** Creates a commit with this author date, and by default the same committer date. */
  commit(time: string, subject: string, options?: { email?: string; committed?: string }): void
}

/** Creates a repository of `ada@example.com`, removed with the test. */
export function createGitRepository({ bare = false, directory = temporaryDirectory() } = {}): GitRepository {
  const env = {
    PATH: process.env.PATH,
    HOME: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  }
  const git = (...argv: string[]) => gitWith({}, argv)
  function gitWith(more: Record<string, string>, argv: string[]): string {
    return execFileSync('git', argv, { cwd: directory, env: { ...env, ...more }, encoding: 'utf8' }).trim()
  }
  git('init', '-q', '-b', 'main', ...(bare ? ['--bare'] : []))
  git('config', 'user.email', 'ada@example.com')
  git('config', 'user.name', 'Ada')
  return {
    ...{ directory, env, git },
    commit(time, subject, { email = 'ada@example.com', committed = time } = {}) {
      const dates = { GIT_AUTHOR_DATE: time, GIT_COMMITTER_DATE: committed, GIT_AUTHOR_EMAIL: email }
      gitWith(dates, ['commit', '-q', '--allow-empty', '--cleanup=verbatim', '-m', subject])
    },
  }
}
