// A temporary copy of the checkout, so that a mutant never changes the files of the user.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Copies all files that git does not ignore, with uncommitted changes, and returns the path of the copy. */
export function copyCheckout() {
  const copy = mkdtempSync(join(tmpdir(), 'tt-mutants-'))
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const files = execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).split('\0')
  for (const file of files) {
    if (!file || !existsSync(join(root, file))) continue
    mkdirSync(join(copy, dirname(file)), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}
