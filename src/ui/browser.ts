import { type ChildProcess, spawn } from 'node:child_process'
import { errorMessage, TtError } from '../lib/errors.js'
import { splitCommand } from './configured-commands.js'

/** Time in milliseconds after which a running browser counts as opened. */
const watchMs = 2_000

/**
 * Returns the function that opens addresses; undefined if `BROWSER` is empty or `none`.
 *
 * `BROWSER` is a command, split at spaces outside quotes; the address replaces `%s`, or is the last argument.
 * The default is the browser of the system. No shell is involved. The function throws TtError `usage` for an address
 * that is not http(s), and `failure` if no browser can be started.
 */
export function createBrowser(
  env: Readonly<Record<string, string | undefined>>,
): ((url: string) => Promise<void>) | undefined {
  const command = env.BROWSER?.trim()
  if (command === '' || command?.toLowerCase() === 'none') return undefined
  return async (url) => {
    const address = webAddress(url)
    try {
      await watchStart(await (command === undefined ? openBySystem(address) : openWith(command, address)))
    } catch (error) {
      const reason = errorMessage(error)
      throw new TtError('failure', `No browser could be opened (${reason}).`, {
        hint: 'Open the address yourself, or set BROWSER to the command of a browser.',
        cause: error,
      })
    }
  }
}

/** Opens a file with the program of the system for it, or `BROWSER`; nothing if that is empty or `none`. Throws like `createBrowser`. */
export async function openFile(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const command = env.BROWSER?.trim()
  if (command === '' || command?.toLowerCase() === 'none') return
  try {
    await watchStart(await (command === undefined ? openBySystem(path) : openWith(command, path)))
  } catch (cause) {
    throw new TtError('failure', `${path} could not be opened (${errorMessage(cause)}).`, { cause })
  }
}

/**
 * Returns the address with special characters percent-encoded: on Windows it passes through PowerShell, which expands
 * `$` and the backtick even between quotes.
 */
function webAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') {
    throw new TtError('usage', 'Only http and https addresses are opened in a browser.')
  }
  return parsed.href.replace(
    /[^\w\-.~:/?#[\]@&+,;=%]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

async function openBySystem(address: string): Promise<ChildProcess> {
  const { default: open } = await import('open')
  return open(address)
}

async function openWith(command: string, address: string): Promise<ChildProcess> {
  const [program = '', ...templates] = splitCommand(command)
  const replaced = templates.map((word) => word.replaceAll('%s', () => address))
  const args = templates.some((word) => word.includes('%s')) ? replaced : [...templates, address]
  return spawn(program, args, { stdio: 'ignore', detached: true })
}

/** Resolves when the browser runs or has ended with status 0; rejects when it cannot be started or fails. */
function watchStart(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, watchMs)
    // tt may end before the browser and the timer.
    timer.unref()
    child.unref()
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(timer)
      if (code) reject(new Error(`${child.spawnfile} ended with status ${code}`))
      else resolve()
    })
  })
}
