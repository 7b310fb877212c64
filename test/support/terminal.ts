import { execFileSync, spawnSync } from 'node:child_process'
import { expect, onTestFinished, vi } from 'vitest'
import { bin, cleanEnvironment } from './process.js'

export const isTmuxMissing = spawnSync('tmux', ['-V']).status !== 0

/** A person at a real terminal: a pane of a tmux server of its own, with a shell in it. */
export interface Terminal {
  /** What stands on the screen, without the empty lines. */
  screen(): string
  /** The same and what has scrolled away, where a line that was too long for the screen is one line again. */
  scrollback(): string
  /** Types text, then keys by their tmux name. */
  type(text: string, ...keys: string[]): void
  /** Runs `tt` with these words on an empty screen; its exit status comes to stand under what it shows. */
  runTt(words: string): void
  /** Waits until the screen shows it. */
  waitForText(text: string | RegExp): Promise<void>
}

export function openTerminal(home: string, more: Record<string, string> = {}): Terminal {
  const env = cleanEnvironment({
    TT_HOME: home,
    HOME: home,
    TERM: 'xterm-256color',
    LC_ALL: 'C.UTF-8',
    PS1: '> ',
    TMUX_TMPDIR: home,
    ...more,
  })
  const tmux = (...argv: string[]) =>
    execFileSync('tmux', ['-L', 'desk', '-f', '/dev/null', ...argv], { env, cwd: home, encoding: 'utf8' })
  tmux('new-session', '-d', '-x', '100', '-y', '40', 'sh')
  onTestFinished(() => void tmux('kill-server'))

  const screen = () => tmux('capture-pane', '-p').replace(/\n\s*(?=\n)/g, '')
  const type = (text: string, ...keys: string[]) => {
    if (text) tmux('send-keys', '-l', text)
    if (keys.length > 0) tmux('send-keys', ...keys)
  }
  return {
    screen,
    scrollback: () => tmux('capture-pane', '-p', '-J', '-S', '-'),
    type,
    runTt(words) {
      tmux('send-keys', '-R') // What stood there before must not pass for what comes.
      type(`'${process.execPath}' '${bin}' ${words}; echo "exit=$?"`, 'Enter')
    },
    waitForText: (text) =>
      vi.waitFor(() => expect(screen()).toMatch(text), { timeout: 30_000, interval: 50 }),
  }
}
