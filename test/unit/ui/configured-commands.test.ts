import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { editorCommands, pagerCommands } from '../../../src/ui/configured-commands.js'
import { temporaryDirectory } from '../../support/process.js'

test.each([
  [{ VISUAL: 'code --wait', EDITOR: 'vi' }, [['code', '--wait']]],
  [{ EDITOR: `"/opt/my editor"  -x '1 2' --z="1 2"` }, [['/opt/my editor', '-x', '1 2', '--z="1', '2"']]],
  [{ VISUAL: ' ', EDITOR: 'ed' }, [['ed']]],
  [{ EDITOR: 'vi; rm -rf $HOME' }, [['vi;', 'rm', '-rf', '$HOME']]],
  [{ EDITOR: '"C:\\Program Files\\Editor\\edit.exe" -w' }, [['C:\\Program Files\\Editor\\edit.exe', '-w']]],
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

test.each([
  [{}, [['less'], ['more']]],
  [{ PAGER: 'most', TT_PAGER: 'less -S' }, [['less', '-S']]],
  [{ PAGER: 'most', TT_PAGER: '' }, []],
  [{ PAGER: ' cat ' }, []],
  [{ PAGER: 'cat -n' }, [['cat', '-n']]],
])('the pager commands for %j are %j', (env, commands) => {
  expect(pagerCommands(env)).toEqual(commands)
})
