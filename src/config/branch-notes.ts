import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readConfigFile } from './config-file.js'

/** No branch of a person is longer; a pattern is not tried on more. */
const maxNameLength = 250

/**
 * What a pattern finds in the name of the branch that is checked out around `directory`: its group named `notes`, or
 * its only group. Undefined where there is no branch, or the pattern does not fit. Git is not asked: its files are
 * read, and whatever is wrong with them there is no branch.
 */
export function branchNotes(directory: string, pattern: RegExp): string | undefined {
  const branch = currentBranch(directory)
  if (branch === undefined || branch.length > maxNameLength) return undefined
  const match = pattern.exec(branch)
  return (match?.groups?.notes ?? match?.[1])?.trim() || undefined
}

/** The pattern that the setting `notes_from_branch` is; undefined for what cannot be one. */
export function branchPattern(text: string): RegExp | undefined {
  try {
    const pattern = new RegExp(text, 'u')
    // It fits the empty name with all of its groups, which are counted thus.
    const [, ...groups] = new RegExp(`${text}|`, 'u').exec('') ?? []
    return groups.length === 1 || /\(\?<notes>/.test(text) ? pattern : undefined
  } catch {
    return undefined
  }
}

/** The branch that HEAD names (gitrepository-layout(5)); undefined where it is detached, or where there is no work tree. */
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

/** A work tree beside the first one, and a submodule, have a file that says where their directory is. */
function gitDirectoryOf(here: string, file: string): string {
  const [, path = ''] = /^gitdir: (.+)/.exec(textOf(file)) ?? []
  return resolve(here, path)
}

function readHead(git: string): string | undefined {
  const [, branch] = /^ref: refs\/heads\/(.+)/.exec(textOf(join(git, 'HEAD'))) ?? []
  // Where references are kept in another way than in files, HEAD says that it is no branch.
  return branch?.startsWith('.') ? undefined : branch
}

function textOf(file: string): string {
  return readConfigFile(file)?.text ?? ''
}
