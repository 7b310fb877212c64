import { spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import type { TimeRange } from '../calendar/interval.js'
import { TtError } from '../errors.js'
import { dayMs } from '../time-units.js'

/** A commit of the user. */
export interface Commit {
  hash: string
  /** When it was written first (author date), in whole seconds; a rebase does not change it. */
  time: Date
  subject: string
}

/**
 * How much older than the period the committer date of a commit may be. git stops at older ones; only a wrong clock makes
 * the committer date older than the author date.
 */
const marginMs = 7 * dayMs
/** Full hash, author date, author's e-mail address as stored and by the mailmap, and subject. */
const fields = ['%H', '%at', '%ae', '%aE', '%s']

/**
 * Returns the commits whose author is the user (`user.email`) and whose author date is in the range, oldest first: those of
 * all local branches and the checked out commit. Copies that a rebase has left on another branch count once.
 *
 * Throws TtError `failure` outside of a repository, for one that git refuses to read, and without git; `usage` without
 * `user.email`.
 */
export async function readCommits({ start, end }: TimeRange, options: GitOptions): Promise<Commit[]> {
  try {
    await gitOutput(['rev-parse', '--absolute-git-dir'], options)
    const email = await userEmail(options)
    const since = start && Math.floor((start.getTime() - marginMs) / 1000)
    const commits = new Map<string, Commit>()
    for await (const { address, ...commit } of logOf(since, options)) {
      if (!address.includes(email)) continue
      if ((start && commit.time < start) || (end && commit.time >= end)) continue
      // The newest copy comes first.
      const key = `${commit.time.getTime()} ${commit.subject}`
      if (!commits.has(key)) commits.set(key, commit)
    }
    return [...commits.values()].sort((a, b) => a.time.getTime() - b.time.getTime())
  } catch (error) {
    throw error instanceof GitError ? describe(error, options) : error
  }
}

async function userEmail(options: GitOptions): Promise<string> {
  // Status 1 without a message means that it is not set.
  const email = await gitOutput(['config', '--get', 'user.email'], options).catch((error: unknown) => {
    if (error instanceof GitError && error.message === 'git ended with 1') return ''
    throw error
  })
  if (email.trim() !== '') return email.trim().toLowerCase()
  throw new TtError('usage', 'git does not know which commits are yours: user.email is not set.', {
    hint: 'Run `git config user.email ADDRESS`.',
  })
}

/** Yields all commits since a committer date in epoch seconds, with the addresses of their author. */
async function* logOf(
  since: number | undefined,
  options: GitOptions,
): AsyncGenerator<Commit & { address: string[] }> {
  const argv = [
    ...[
      'log',
      '-z',
      '--encoding=UTF-8',
      '--no-color',
      '--no-show-signature',
      '--no-notes',
      '--ignore-missing',
    ],
    ...[
      `--format=tformat:${fields.join('%x00')}`,
      ...(since === undefined ? [] : [`--since=@${Math.max(0, since)}`]),
    ],
    ...['--branches', 'HEAD', '--'],
  ]
  let rest: string[] = []
  let text = ''
  try {
    for await (const piece of runGit(argv, options)) {
      const parts = (text + piece).split('\0')
      text = parts.pop() ?? ''
      rest.push(...parts)
      const complete = rest.length - (rest.length % fields.length)
      for (let at = 0; at < complete; at += fields.length) {
        const [hash = '', seconds = '', ...others] = rest.slice(at, at + fields.length)
        const time = new Date(Number(seconds) * 1000)
        const subject = others[2] ?? ''
        // A damaged commit can lack its date.
        if (seconds !== '' && !Number.isNaN(time.getTime()))
          yield { hash, time, subject, address: others.slice(0, 2).map((each) => each.toLowerCase()) }
      }
      rest = rest.slice(complete)
    }
  } catch (error) {
    if (error instanceof GitError && /does not have any commits yet|bad default revision/.test(error.message))
      return
    throw error
  }
}

function describe({ message }: GitError, { directory }: GitOptions): TtError {
  const lines = message.split('\n')
  // Warnings and causes may come first.
  const reason = (lines.findLast((line) => line.startsWith('fatal: ')) ?? lines[0] ?? '').replace(
    /^fatal: |\.$/g,
    '',
  )
  if (/not a git repository/.test(message))
    return new TtError('failure', `There is no git repository in ${directory} or above it.`, {
      hint: 'Change to the directory of a repository, or omit --git.',
    })
  const [, path] = /dubious ownership in repository at '([^']*)'/.exec(message) ?? []
  if (path !== undefined)
    return new TtError('failure', `git refuses to read ${path}, because another user owns it.`, {
      hint: `If you trust it, run \`git config --global --add safe.directory '${path}'\`.`,
    })
  return new TtError('failure', `git cannot list the commits of ${directory}: ${reason}.`)
}

type Environment = Readonly<Record<string, string | undefined>>

interface GitOptions {
  /** The directory whose repository is read; `GIT_DIR` names another one, as for git itself. */
  directory: string
  env: Environment
}

/** Settings of the user or the repository that would start other programs. */
const quietSettings = ['core.fsmonitor=false', 'log.showSignature=false', 'core.hooksPath=/dev/null']
/** How much of an error is read, in characters. */
const maxErrorLength = 4000

/**
 * Runs git and yields its output in pieces of text. Throws TtError `failure` if git is missing, and GitError if it exits with
 * another status than 0.
 */
async function* runGit(argv: readonly string[], { directory, env }: GitOptions): AsyncGenerator<string> {
  const program = findProgram('git', env)
  if (program === undefined) {
    throw new TtError('failure', 'git was not found in the directories of PATH.', {
      hint: 'Install git, or omit --git.',
    })
  }
  const settings = quietSettings.flatMap((setting) => ['-c', setting])
  const child = spawn(program, ['--no-pager', '--no-optional-locks', ...settings, ...argv], {
    cwd: directory,
    // Messages are recognised by their English text. Nothing prompts. Nothing is fetched for a partial clone, which could
    // start a program of the repository; git before 2.45 knows only the list of protocols.
    env: {
      ...env,
      ...{ LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: '' },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  })
  let errorText = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(0, maxErrorLength)
  })
  const ended = new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (status, signal) => resolve(status ?? signal ?? 'unknown'))
  })
  try {
    yield* child.stdout.setEncoding('utf8') as AsyncIterable<string>
  } finally {
    child.kill()
  }
  const status = await ended
  if (status !== 0) throw new GitError(errorText.trim() || `git ended with ${status}`)
}

/** Returns the whole output of git without the line end. Throws the same errors as `runGit`. */
async function gitOutput(argv: readonly string[], options: GitOptions): Promise<string> {
  let output = ''
  for await (const text of runGit(argv, options)) output += text
  return output.replace(/\r?\n$/, '')
}

/** git has failed; the message is what it has printed. */
class GitError extends Error {
  override readonly name = 'GitError'
}

/** Returns the path of a program in the absolute directories of PATH: never one of the working directory. */
function findProgram(name: string, { PATH = '', Path = '' }: Environment): string | undefined {
  const fileName = process.platform === 'win32' ? `${name}.exe` : name
  return (PATH || Path)
    .split(delimiter)
    .filter(isAbsolute)
    .map((directory) => join(directory, fileName))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
