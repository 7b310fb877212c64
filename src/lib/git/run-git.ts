import { spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { TtError } from '../errors.js'

type Environment = Readonly<Record<string, string | undefined>>

export interface GitOptions {
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
export async function* runGit(
  argv: readonly string[],
  { directory, env }: GitOptions,
): AsyncGenerator<string> {
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
export async function gitOutput(argv: readonly string[], options: GitOptions): Promise<string> {
  let output = ''
  for await (const text of runGit(argv, options)) output += text
  return output.replace(/\r?\n$/, '')
}

/** git has failed; the message is what it has printed. */
export class GitError extends Error {
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
