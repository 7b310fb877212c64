import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { promptSnippets } from '../../src/program/help/prompt-snippets.js'
import { bin, cleanEnvironment, run, temporaryDirectory, tt } from '../support/process.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

test('the status line of tmux shows # in notes literally and interprets nothing', async ({ skip }) => {
  skip(isTmuxMissing, 'tmux is not installed')
  const home = temporaryDirectory()
  const notes = '#12 #[fg=red]red #{host} ##[fg=blue]b'
  expect(await tt(home, ['start', 'Website/Design', '-n', notes])).toMatchObject({ status: 0 })
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin', 'tt'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`, {
    mode: 0o755,
  })
  const lines = promptSnippets.tmux.map((line) => line.replace('length 80', 'length 95'))
  writeFileSync(
    join(home, 'tmux.conf'),
    `${lines.join('\n')}\nset -g status-left ''\nset -g status-interval 1\n`,
  )
  const PATH = `${join(home, 'bin')}:${process.env.PATH}`
  const terminal = openTerminal(home, { PATH })
  const env = cleanEnvironment({ TMUX_TMPDIR: home })
  onTestFinished(async () => void (await run('tmux', ['-L', 'inner', 'kill-server'], { env })))
  terminal.type('env -u TMUX tmux -L inner -f tmux.conf new-session', 'Enter')
  // tmux shows two hashes in a row as one.
  await terminal.waitForText(
    /Website \/ Design \d+s #12 #\[fg=red\]red #\{host\} #+\[fg=blue\]b +\d\d:\d\d$/m,
  )
})
