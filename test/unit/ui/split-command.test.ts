import { expect, test } from 'vitest'
import { splitCommand } from '../../../src/ui/configured-commands.js'

test.each([
  ['less -R  -S', ['less', '-R', '-S']],
  [`"/opt/my pager" '-x y' --z="1 2"`, ['/opt/my pager', '-x y', '--z="1', '2"']],
  ['less; rm -rf $HOME', ['less;', 'rm', '-rf', '$HOME']],
  ['"C:\\Program Files\\less.exe"', ['C:\\Program Files\\less.exe']],
  ['', []],
])('splits %j into the arguments %j, without a shell', (command, words) => {
  expect(splitCommand(command)).toEqual(words)
})
