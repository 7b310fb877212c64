import { pathToFileURL } from 'node:url'
import { plainStyle, type Style } from './view.js'

export interface ColourOptions {
  /** False when `--no-color` was given. */
  color?: boolean | undefined
  env: Record<string, string | undefined>
  /** Whether the stream is a terminal. */
  isTTY: boolean
}

/** Returns the style of a stream. Chalk is loaded only if colour is enabled. */
export async function createStyle(options: ColourOptions): Promise<Style> {
  if (!hasColour(options)) return plainStyle
  const { Chalk } = await import('chalk')
  // Text uses the basic colours, which users configure in their terminal.
  const { bold, dim, red, green, cyan, magenta } = new Chalk({ level: 1 })
  const level = levelOf(options.env)
  const chalk = new Chalk({ level })
  // The basic yellow cannot be read on a light background.
  const yellow = level === 1 ? magenta : level === 2 ? chalk.ansi256(amber[1]) : chalk.hex(amber[0])
  const colours =
    level === 1
      ? basic.map((name) => chalk[name])
      : okabeIto.map(([hex, number]) => (level === 3 ? chalk.hex(hex) : chalk.ansi256(number)))
  const paint = (text: string, index: number) => colours[index % colours.length]?.(text) ?? text
  const shades = blues.map(([hex, number]) => (level === 3 ? chalk.bgHex(hex) : chalk.bgAnsi256(number)))
  const shade = (text: string, index: number) => shades[index]?.(text) ?? text
  return { bold, dim, red, green, yellow, cyan, series: { paint, ...(level === 1 ? {} : { shade }) } }
}

/** A dark yellow with a contrast of at least 4.5 to white and to black (WCAG 2.2), and the nearest of the 256 colours. */
const amber = ['#b06000', 130] as const

/**
 * Seven colours that are distinct for every type of colour vision (Okabe and Ito, "Color Universal Design", 2008), ordered
 * so that neighbours also differ in lightness; then grey. The yellow is darker, for light backgrounds. Each has the nearest of
 * the 256 colours of xterm.
 */
const okabeIto = [
  ['#0072b2', 25],
  ['#e69f00', 178],
  ['#009e73', 36],
  ['#a39400', 100],
  ['#d55e00', 166],
  ['#56b4e9', 74],
  ['#cc79a7', 175],
  ['#999999', 246],
] as const

/** Grey, and four shades of blue that differ on a light and on a dark background. Each has the nearest colour of xterm. */
const blues = [
  ['#6e7781', 243],
  ['#b3d7f2', 153],
  ['#63a9e0', 75],
  ['#2a7fc4', 32],
  ['#0b559f', 25],
] as const

/** The most distinct of the basic colours that can be seen on a light and on a dark background. */
const basic = ['blue', 'magenta', 'cyan', 'red', 'green'] as const

/** Returns the colour depth, from FORCE_COLOR or else from the terminal: 3 is true colour, 2 is 256 colours, 1 is 16. */
function levelOf({ FORCE_COLOR, COLORTERM, TERM, WT_SESSION }: ColourOptions['env']): 1 | 2 | 3 {
  if (FORCE_COLOR === '1' || FORCE_COLOR === '2' || FORCE_COLOR === '3')
    return Number(FORCE_COLOR) as 1 | 2 | 3
  if (/^(truecolor|24bit)$/.test(COLORTERM ?? '') || /-(direct|truecolor)$/.test(TERM ?? '') || WT_SESSION)
    return 3
  return /256/.test(TERM ?? '') ? 2 : 1
}

/** Decides by, in order of precedence: option, no-color.org, force-color.org, bixense.com/clicolors, the terminal. */
function hasColour({ color, env, isTTY }: ColourOptions): boolean {
  if (color === false || env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  if (env.CLICOLOR === '0') return false
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0') return true
  return isTTY && env.TERM !== 'dumb'
}

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
