import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDraft, editorCommands } from '../../../src/ui/editor.js'
import { temporaryDirectory } from '../../support/process.js'

test.each([
  [{ VISUAL: 'code --wait', EDITOR: 'vi' }, [['code', '--wait']]],
  [{ EDITOR: `"/opt/my editor" -x '1 2'` }, [['/opt/my editor', '-x', '1 2']]],
  [{ VISUAL: ' ', EDITOR: 'ed' }, [['ed']]],
  [{ EDITOR: 'vi; rm -rf $HOME' }, [['vi;', 'rm', '-rf', '$HOME']]],
  [{ EDITOR: '' }, [['editor'], ['nano'], ['vi']]],
  [{}, [['editor'], ['nano'], ['vi']]],
])('the editor commands for %j are %j', (env, commands) => {
  expect(editorCommands(env, 'linux')).toEqual(commands)
})

test('the default editor on Windows is Notepad', () => {
  expect(editorCommands({}, 'win32')).toEqual([['notepad']])
})

test('an existing path with spaces is one argument without quotes', () => {
  const directory = join(temporaryDirectory(), 'my programs')
  mkdirSync(directory)
  const path = join(directory, 'editor')
  expect(editorCommands({ EDITOR: path })[0]?.length).toBeGreaterThan(1)
  writeFileSync(path, '')
  expect(editorCommands({ EDITOR: path })).toEqual([[path]])
})

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
