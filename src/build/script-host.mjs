import { PassThrough, Writable } from 'node:stream'

/**
 * Returns a host that runs commands in this process, without input.
 *
 * @param {object} settings
 * @param {string} settings.home the home of tt, and the working directory
 * @param {Record<string, string>} [settings.env]
 * @param {() => Date} [settings.now]
 * @param {(text: string) => void} [settings.write] receives the output
 * @param {number | undefined} [settings.columns] the width of the terminal; without it, the output is no terminal
 * @param {boolean | undefined} [settings.isInteractive] whether the input is a terminal
 * @returns {import('../cli/host.js').Host}
 */
export function scriptHost({
  home,
  env,
  now = () => new Date(),
  write = () => {},
  columns,
  isInteractive = false,
}) {
  const writable = new Writable({
    write(chunk, _encoding, done) {
      write(String(chunk))
      done()
    },
  })
  const output = Object.assign(writable, columns === undefined ? {} : { isTTY: true, columns })
  const stdin = Object.assign(new PassThrough(), isInteractive ? { isTTY: true } : {})
  stdin.end()
  return {
    stdin,
    stdout: output,
    stderr: output,
    promptOutput: output,
    env: { TT_HOME: home, ...env },
    cwd: () => home,
    program: () => ({ node: process.execPath, script: '' }),
    now,
    startDetached: () => true,
    onInterrupt() {},
    pause: () => Promise.resolve(),
    untilStopped: () => new Promise(() => {}),
    interruption: () => new AbortController().signal,
    leaveInterrupts: () => () => {},
    on: () => () => {},
    raise: () => {},
  }
}
