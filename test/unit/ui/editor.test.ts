import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDraft, editorCommands } from '../../../src/ui/editor.js'

test.each([
  [{ VISUAL: 'code --wait', EDITOR: 'vi' }, [['code', '--wait']]],
  [{ EDITOR: `"/opt/my editor" -x '1 2'` }, [['/opt/my editor', '-x', '1 2']]],
  [{ VISUAL: ' ', EDITOR: 'ed' }, [['ed']]],
  [{ EDITOR: 'vi; rm -rf $HOME' }, [['vi;', 'rm', '-rf', '$HOME']]],
  [{ EDITOR: '' }, [['editor'], ['nano'], ['vi']]],
  [{}, [['editor'], ['nano'], ['vi']]],
])('with %j the editors to try are %j', (env, commands) => {
  expect(editorCommands(env, 'linux')).toEqual(commands)
})

test('on Windows it is Notepad that is always there', () => {
  expect(editorCommands({}, 'win32')).toEqual([['notepad']])
})

test('a path with spaces that exists is one word without quotes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tt my '))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'editor')
  expect(editorCommands({ EDITOR: path })[0]?.length).toBeGreaterThan(1)
  writeFileSync(path, '')
  expect(editorCommands({ EDITOR: path })).toEqual([[path]])
})

test('a draft is its owner’s alone, in a directory that is too, and goes with it', () => {
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

test('where no draft can be made, that is said', () => {
  expect(() => createDraft('typed', '/nonesuch')).toThrow(/Cannot create a file to edit in \/nonesuch/)
})
