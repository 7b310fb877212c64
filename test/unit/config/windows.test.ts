import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { readSecret } from '../../../src/commands/shared/standard-input.js'
import { readDirectoryFile } from '../../../src/config/directory-file.js'
import { pathsFor } from '../../../src/config/paths.js'
import { createDraft } from '../../../src/ui/editor.js'
import { temporaryDirectory } from '../../support/process.js'

const home = 'C:\\Users\\Ada Lovelace'

/** Returns the text as Notepad saves it: with a byte order mark and CRLF. */
const notepad = (text: string) => `\ufeff${text.replaceAll('\n', '\r\n')}`

test.each([
  [{}, `${home}\\AppData\\Roaming\\tt`, `${home}\\AppData\\Local\\tt`],
  [{ APPDATA: 'D:\\Roaming', LOCALAPPDATA: '\\\\server\\Local' }, 'D:\\Roaming\\tt', '\\\\server\\Local\\tt'],
  [{ LOCALAPPDATA: '\\\\?\\C:\\Local' }, `${home}\\AppData\\Roaming\\tt`, '\\\\?\\C:\\Local\\tt'],
])('on Windows with %j the settings are in %s, and the data in %s', (env, config, local) => {
  expect(pathsFor(env, 'win32', home)).toEqual({ config, data: local, state: local })
})

test('on macOS all directories are in the library of the user', () => {
  const library = '/Users/ada/Library/Application Support/tt'
  expect(pathsFor({}, 'darwin', '/Users/ada')).toEqual({ config: library, data: library, state: library })
})

test('reads a file that was saved on Windows', () => {
  const here = temporaryDirectory()
  writeFileSync(join(here, '.tt.json'), notepad('{\n  "task": "Website/Design"\n}\n'))
  expect(readDirectoryFile(here)).toMatchObject({ task: 'Website/Design' })
})

test('reads only the secret from text that is piped on Windows', async () => {
  const stdin = new PassThrough()
  stdin.end('\ufeffsecret\r\n')
  expect(await readSecret(stdin, 'password', '--password-stdin')).toBe('secret')
})

test('reads a draft that was edited on Windows', () => {
  const draft = createDraft('# one\nnotes: two\n')
  onTestFinished(() => draft.remove())
  writeFileSync(draft.path, notepad('# one\nnotes: three\n'))
  expect(draft.read()).toBe('# one\nnotes: three\n')
})
