import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readConfigFile } from './config-file.js'

/** Upper bound for a branch name that the pattern is applied to. */
const maxNameLength = 250

/**
 * Returns the match of the pattern in the name of the branch checked out at `directory`: the group named `notes`, or the
 * only group. Returns undefined without a branch or a match. Reads the files of git instead of running it; unreadable
 * files count as no branch.
 */
export function branchNotes(directory: string, pattern: RegExp): string | undefined {
  const branch = currentBranch(directory)
  if (branch === undefined || branch.length > maxNameLength) return undefined
  const match = pattern.exec(branch)
  return (match?.groups?.notes ?? match?.[1])?.trim() || undefined
}

/** Parses the setting `notes_from_branch`; undefined for an invalid pattern. */
export function branchPattern(text: string): RegExp | undefined {
  try {
    const pattern = new RegExp(text, 'u')
    // With an empty alternative it matches the empty string, which yields the number of groups.
    const [, ...groups] = new RegExp(`${text}|`, 'u').exec('') ?? []
    return groups.length === 1 || /\(\?<notes>/.test(text) ? pattern : undefined
  } catch {
    return undefined
  }
}

/** Returns the branch that HEAD names (gitrepository-layout(5)); undefined for a detached HEAD or outside a work tree. */
function currentBranch(directory: string): string | undefined {
  try {
    for (let here = directory; ; here = dirname(here)) {
      const git = join(here, '.git')
      const found = statSync(git, { throwIfNoEntry: false })
      if (found) return readHead(found.isDirectory() ? git : gitDirectoryOf(here, git))
      if (dirname(here) === here) return undefined
    }
  } catch {
    return undefined
  }
}

/** Reads the `.git` file of a linked work tree or a submodule, which names its directory. */
function gitDirectoryOf(here: string, file: string): string {
  const [, path = ''] = /^gitdir: (.+)/.exec(textOf(file)) ?? []
  return resolve(here, path)
}

function readHead(git: string): string | undefined {
  const [, branch] = /^ref: refs\/heads\/(.+)/.exec(textOf(join(git, 'HEAD'))) ?? []
  // With the reftable format, HEAD contains a placeholder that is not a branch name.
  return branch?.startsWith('.') ? undefined : branch
}

function textOf(file: string): string {
  return readConfigFile(file)?.text ?? ''
}
