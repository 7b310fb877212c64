import { pathToFileURL } from 'node:url'
import type { ColourOptions } from './colour.js'

/**
 * Returns a function that makes hyperlinks to addresses and files (OSC 8); undefined unless the terminal is known to
 * support them, because others may print the codes.
 */
export function createLinker(options: ColourOptions): ((text: string, target: string) => string) | undefined {
  if (!supportsLinks(options)) return undefined
  const { SSH_CONNECTION, SSH_TTY } = options.env
  // The terminal opens files on its own machine, not on this one.
  const isRemote = Boolean(SSH_CONNECTION || SSH_TTY)
  return (text, target) => {
    const isAddress = /^https?:\/\//.test(target)
    if (!isAddress && isRemote) return text
    if (isAddress && !URL.canParse(target)) return text
    // URL percent-encodes control characters.
    const { href } = isAddress ? new URL(target) : pathToFileURL(target)
    return `\u001b]8;;${href}\u001b\\${text}\u001b]8;;\u001b\\`
  }
}

/** Decides by FORCE_HYPERLINK, or else by the variables that terminals set. */
function supportsLinks({ color, env, isTTY }: ColourOptions): boolean {
  if (!isTTY || color === false || env.TERM === 'dumb') return false
  if (env.FORCE_HYPERLINK) return env.FORCE_HYPERLINK !== '0'
  if (env.TERM === 'xterm-kitty' || env.WT_SESSION || env.KONSOLE_VERSION) return true
  // GNOME Terminal and others based on VTE 0.50 or later.
  if (Number(env.VTE_VERSION) >= 5000) return true
  return ['iTerm.app', 'WezTerm', 'vscode', 'ghostty'].includes(env.TERM_PROGRAM ?? '')
}
