import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDraft } from '../../../src/ui/editor.js'

test('only the owner can access a draft and its directory, and remove() deletes both', () => {
  const draft = createDraft('typed')
  onTestFinished(() => draft.remove())
  expect(statSync(draft.path).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(draft.path)).mode & 0o777).toBe(0o700)
  draft.write('\uFEFFmore')
  expect(draft.read()).toBe('more')
  rmSync(draft.path)
  expect(draft.read()).toBe('')
  draft.write('again')
  expect(draft.read()).toBe('again')
  expect(statSync(draft.path).mode & 0o777).toBe(0o600)
  draft.remove()
  expect(existsSync(dirname(draft.path))).toBe(false)
})

test('reports a draft that cannot be created', () => {
  expect(() => createDraft('typed', '/nonesuch')).toThrow(/Cannot create a file to edit in \/nonesuch/)
})
