import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { bin, cleanEnvironment } from './process.js'

export const isTmuxMissing = spawnSync('tmux', ['-V']).status !== 0

/** A real terminal with a shell: a pane of a separate tmux server. */
export interface Terminal {
  /** Returns the text on the screen, without empty lines. */
  screen(): string
  /** Returns the screen and its scrollback, with wrapped lines joined. */
  scrollback(): string
  /** Types text, then keys given by their tmux names. */
  type(text: string, ...keys: string[]): void
  /** Pastes text, marked as such if the program has requested that. */
  paste(text: string): void
  /** Clears the screen, runs `tt` with these arguments at the prompt, and prints `exit=` and its exit status. */
  runTt(commandLine: string): void
  /** Clears the screen and types a line of shell. */
  runShell(line: string): void
  /** Records what is printed from now on, and returns a function that returns it. */
  record(): () => string
  resize(columns: number, rows: number): void
  /** Whether a program shows the alternate screen, and whether the cursor is visible. */
  modes(): { isAlternate: boolean; hasCursor: boolean }
  /** Waits until the text is on the screen. */
  waitForText(text: string | RegExp): Promise<void>
}

export function openTerminal(home: string, extraEnv: Record<string, string> = {}): Terminal {
  const env = cleanEnvironment({
    TT_HOME: home,
    HOME: home,
    TERM: 'xterm-256color',
    LC_ALL: 'C.UTF-8',
    TMUX_TMPDIR: home,
    ...extraEnv,
  })
  const tmux = (...argv: string[]) =>
    execFileSync('tmux', ['-L', 'tt', '-f', '/dev/null', ...argv], { env, cwd: home, encoding: 'utf8' })
  tmux('new-session', '-d', '-x', '100', '-y', '40', 'sh')
  onTestFinished(() => void tmux('kill-server'))

  const screen = () => tmux('capture-pane', '-p').replace(/\n\s*(?=\n)/g, '')
  const type = (text: string, ...keys: string[]) => {
    if (text) tmux('send-keys', '-l', text)
    if (keys.length > 0) tmux('send-keys', ...keys)
  }
  /** Waits until the shell shows its prompt: it may otherwise be printed after what is typed. */
  const waitForPrompt = () => {
    const endMs = performance.now() + 120_000
    while (!/[#$]\s*$/.test(screen())) {
      if (performance.now() > endMs) throw new Error(`The shell shows no prompt: ${screen()}`)
      spawnSync('sleep', ['0.02'])
    }
  }
  waitForPrompt()
  const runShell = (line: string) => {
    tmux('send-keys', '-R') // `waitForText` must not match earlier output.
    type(line, 'Enter')
  }
  return {
    screen,
    scrollback: () => tmux('capture-pane', '-p', '-J', '-S', '-'),
    type,
    paste(text) {
      execFileSync('tmux', ['-L', 'tt', 'load-buffer', '-'], { env, cwd: home, input: text })
      tmux('paste-buffer', '-p', '-r')
    },
    runTt(commandLine) {
      waitForPrompt()
      runShell(`'${process.execPath}' '${bin}' ${commandLine}; echo "exit=$?"`)
    },
    runShell,
    record() {
      const file = join(home, 'recorded-output')
      tmux('pipe-pane', `cat >> '${file}'`)
      return () => readFileSync(file, 'utf8')
    },
    resize: (columns, rows) => void tmux('resize-window', '-x', String(columns), '-y', String(rows)),
    modes() {
      const [alternate, cursor] = tmux('display-message', '-p', '#{alternate_on} #{cursor_flag}').split(' ')
      return { isAlternate: alternate === '1', hasCursor: cursor?.trim() === '1' }
    },
    waitForText: (text) =>
      vi.waitFor(() => expect(screen()).toMatch(text), { timeout: 120_000, interval: 50 }),
  }
}
