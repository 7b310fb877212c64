import type { ChildProcess } from 'node:child_process'
import { errorMessage, TtError } from '../lib/errors.js'
import { splitCommand } from './split-command.js'

/** How long a browser is watched for an early end, in milliseconds; one that runs on has been opened. */
const watchMs = 2_000

/**
 * How addresses are opened in this environment; undefined where `BROWSER` is empty or `none`: nothing is opened.
 *
 * `BROWSER` is a command, split at spaces outside quotes; the address takes the place of `%s` or comes last.
 * Without it the system's own choice is used. No shell is involved. The function throws TtError `usage` for what is
 * not an http(s) address, `failure` where no browser can be started.
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
        hint: 'Open the address yourself, or set BROWSER to the command that does.',
        cause: error,
      })
    }
  }
}

/**
 * The address with everything percent-encoded that is not plain in a URL: on Windows it passes through PowerShell,
 * to which `$` and the backtick mean something even between quotes.
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
  const { spawn } = await import('node:child_process')
  const [program = '', ...templates] = splitCommand(command)
  const replaced = templates.map((word) => word.replaceAll('%s', () => address))
  const args = templates.some((word) => word.includes('%s')) ? replaced : [...templates, address]
  return spawn(program, args, { stdio: 'ignore', detached: true })
}

/** Resolves when the browser runs or has done its work; rejects when it cannot be started or fails at once. */
function watchStart(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, watchMs)
    // Neither the browser nor the watch keeps tt from ending.
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
