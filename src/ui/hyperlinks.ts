import { pathToFileURL } from 'node:url'
import type { ColourOptions } from './colour.js'

/**
 * Makes text that a click opens, an address or the path of a file (OSC 8); undefined where the terminal is not known to
 * take it: others may print what they do not know.
 */
export function createLinker(options: ColourOptions): ((text: string, target: string) => string) | undefined {
  if (!supportsLinks(options)) return undefined
  const { SSH_CONNECTION, SSH_TTY } = options.env
  // The terminal would look for it on the machine that it runs on itself.
  const isRemote = Boolean(SSH_CONNECTION || SSH_TTY)
  return (text, target) => {
    const isAddress = /^https?:\/\//.test(target)
    if (!isAddress && isRemote) return text
    if (isAddress && !URL.canParse(target)) return text
    // In what these write no character drives a terminal.
    const { href } = isAddress ? new URL(target) : pathToFileURL(target)
    return `\u001b]8;;${href}\u001b\\${text}\u001b]8;;\u001b\\`
  }
}

/** By FORCE_HYPERLINK, which other programs know too, or by what a terminal says of itself. */
function supportsLinks({ color, env, isTTY }: ColourOptions): boolean {
  if (!isTTY || color === false || env.TERM === 'dumb') return false
  if (env.FORCE_HYPERLINK) return env.FORCE_HYPERLINK !== '0'
  if (env.TERM === 'xterm-kitty' || env.WT_SESSION || env.KONSOLE_VERSION) return true
  // GNOME Terminal and its relatives, from 0.50 on.
  if (Number(env.VTE_VERSION) >= 5000) return true
  return ['iTerm.app', 'WezTerm', 'vscode', 'ghostty'].includes(env.TERM_PROGRAM ?? '')
}
