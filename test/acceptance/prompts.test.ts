import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { promptSnippets } from '../../src/program/help/prompt-snippets.js'
import { bin, cleanEnvironment, temporaryDirectory, tt, waitForExit } from '../support/process.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

const zshIsMissing = spawnSync('zsh', ['--version']).status !== 0

/** Creates a home with `tt` installed and its files in the default location, below `state`. */
function createHome() {
  const home = temporaryDirectory()
  const programs = join(home, 'programs')
  mkdirSync(programs)
  writeFileSync(join(programs, 'tt'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, {
    mode: 0o755,
  })
  const ttHome = join(home, 'state', 'tt')
  const env = {
    HOME: home,
    TT_HOME: ttHome,
    XDG_STATE_HOME: join(home, 'state'),
    HISTFILE: '/dev/null',
    PATH: `${programs}:${process.env.PATH}`,
  }
  const runTt = async (...argv: string[]) => {
    const done = await tt(ttHome, argv, { HOME: home })
    expect(done, done.stderr).toMatchObject({ status: 0 })
  }
  return { home, env, runTt }
}

/** A name with command substitutions and prompt escapes. */
const hostileName = `$(:>canary)\`:>canary\` %F{red}%n \\u "it's"`

test.for([
  ['bash', 'bash --noprofile --rcfile rc -i', promptSnippets.bash, `PS1='ready> '`],
  ['zsh', 'ZDOTDIR=. zsh -i', promptSnippets.zsh, `PROMPT='ready> '`],
] as const)(
  '%s shows the running timer in its prompt',
  async ([shell, command, snippet, prompt], { skip }) => {
    skip(isTmuxMissing, 'tmux is not installed')
    skip(shell === 'zsh' && zshIsMissing, 'zsh is not installed')
    const { home, env, runTt } = createHome()
    // The prompt needs no other program.
    const lines = [prompt, ...snippet, 'PATH=/nonexistent', '']
    for (const name of ['rc', '.zshrc']) writeFileSync(join(home, name), lines.join('\n'))
    const terminal = openTerminal(home, env)
    terminal.type(command, 'Enter')
    await terminal.waitForText(/^ready>$/m)

    await runTt('admin', 'projects', 'add', hostileName)
    await runTt('admin', 'tasks', 'add', `${hostileName}/Design`)
    await runTt('start', 'Design', '--at', '0:00')
    terminal.type('', 'Enter')
    await terminal.waitForText(`[${hostileName} / Design since 00:00] ready>`)
    await runTt('stop')
    terminal.type('echo stopped', 'Enter')
    await terminal.waitForText(/^stopped\nready>$/m)
    expect(existsSync(join(home, 'canary'))).toBe(false)
    expect(terminal.screen()).not.toContain('not found')
  },
)

test('the starship command prints the running timer or nothing in sh', async () => {
  const { env, runTt } = createHome()
  const [, command = ''] = /^command = "([^"\\]+)"$/m.exec(promptSnippets.starship.join('\n')) ?? []
  const shown = () => {
    const child = spawn('sh', ['-s'], { env: cleanEnvironment(env) })
    child.stdin.end(command)
    return waitForExit(child)
  }
  expect(await shown()).toMatchObject({ status: 0, stdout: '', stderr: '' })
  await runTt('start', 'Acme/Website/Design')
  expect(await shown()).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Acme \/ Website \/ Design \d+[sm]\n$/),
    stderr: '',
  })
  await runTt('stop')
  expect(await shown()).toMatchObject({ status: 0, stdout: '', stderr: '' })
})
