import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { branchNotes, branchPattern } from '../../../src/config/branch-notes.js'
import { temporaryDirectory } from '../../support/process.js'

/** Creates a directory with these files, by path. */
function tree(files: Record<string, string>): string {
  const root = temporaryDirectory()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const ticket = /^(?:feature|fix)\/([A-Z]+-\d+)/u
const on = (branch: string) => `ref: refs/heads/${branch}\n`

describe('the notes of a branch', () => {
  test('are the group of the pattern, anywhere in the working tree', () => {
    const root = tree({ '.git/HEAD': on('feature/ABC-12-first-page'), 'src/ui/view.ts': '' })
    expect(branchNotes(root, ticket)).toBe('ABC-12')
    expect(branchNotes(join(root, 'src', 'ui'), ticket)).toBe('ABC-12')
    expect(branchNotes(root, /^\w+\/(?<notes>[A-Z]+)-(\d+)/u)).toBe('ABC')
  })

  test('are found in a linked working tree, with an absolute or a relative path', () => {
    const root = tree({
      'main/.git/worktrees/side/HEAD': on('fix/XY-3'),
      'side/.git': 'gitdir: ../main/.git/worktrees/side\n',
    })
    expect(branchNotes(join(root, 'side'), ticket)).toBe('XY-3')
    writeFileSync(join(root, 'side', '.git'), `gitdir: ${join(root, 'main/.git/worktrees/side')}\n`)
    expect(branchNotes(join(root, 'side'), ticket)).toBe('XY-3')
  })

  test.each([
    ['a branch that does not match the pattern', { '.git/HEAD': on('main') }],
    ['a detached HEAD', { '.git/HEAD': '5f0c1e9b7a3d4c2e8f6a1b0d5f0c1e9b7a3d4c2e\n' }],
    ['references that are not files', { '.git/HEAD': on('.invalid') }],
    ['no HEAD', { '.git/config': '' }],
    ['a .git file with other content', { '.git': 'hello' }],
    ['an oversized branch name', { '.git/HEAD': on(`feature/AB-1${'x'.repeat(300)}`) }],
    ['no working tree', {}],
  ])('are undefined for %s', (_, files) => {
    expect(branchNotes(tree(files as Record<string, string>), /^(feature.*|\.invalid)/u)).toBeUndefined()
  })
})

test.each([
  ['^(?:feature|fix)/([A-Z]+-\\d+)', true],
  ['(?<notes>[a-z]+)-(\\d+)', true],
  ['feature/.*', false],
  ['(a)(b)', false],
  ['(a', false],
  ['\\p{Nonesuch}(a)', false],
])('%j is a valid pattern: %j', (text, isValid) => {
  expect(branchPattern(text) !== undefined).toBe(isValid)
})
