import { plainStyle, type Style } from './view.js'

export interface ColourOptions {
  /** False when `--no-color` was given. */
  color?: boolean | undefined
  env: Record<string, string | undefined>
  /** Whether the stream to be coloured is a terminal. */
  isTTY: boolean
}

/** The style for a stream. Chalk is loaded only where there is colour. */
export async function createStyle(options: ColourOptions): Promise<Style> {
  if (!hasColour(options)) return plainStyle
  const { Chalk } = await import('chalk')
  // Words have the basic colours, which every terminal with colour has and its owner has chosen.
  const { bold, dim, red, green, yellow, cyan } = new Chalk({ level: 1 })
  const level = levelOf(options.env)
  const chalk = new Chalk({ level })
  const pairs =
    level === 1
      ? basic.map(([over, under]) => [chalk[over], chalk[under]] as const)
      : okabeIto.map(([hex, number]) =>
          level === 3
            ? ([chalk.hex(hex), chalk.bgHex(hex)] as const)
            : ([chalk.ansi256(number), chalk.bgAnsi256(number)] as const),
        )
  const paint = (text: string, index: number, behind?: number) => {
    const coloured = pairs[index % pairs.length]?.[0](text) ?? text
    return behind === undefined ? coloured : (pairs[behind % pairs.length]?.[1](coloured) ?? coloured)
  }
  return { bold, dim, red, green, yellow, cyan, series: { colours: pairs.length, paint } }
}

/**
 * Seven colours that differ for people of every colour vision (Okabe and Ito, "Color Universal Design", 2008), in an order
 * in which neighbours differ in lightness too, and grey for what is left. Each with the nearest of the 256 colours of xterm.
 */
const okabeIto = [
  ['#0072b2', 25],
  ['#e69f00', 178],
  ['#009e73', 36],
  ['#f0e442', 221],
  ['#d55e00', 166],
  ['#56b4e9', 74],
  ['#cc79a7', 175],
  ['#999999', 246],
] as const

/** Of the sixteen, those that differ most: by blue against yellow, which nearly everybody sees, and by lightness. */
const basic = [
  ['blue', 'bgBlue'],
  ['yellow', 'bgYellow'],
  ['cyan', 'bgCyan'],
  ['white', 'bgWhite'],
  ['magenta', 'bgMagenta'],
] as const

/** 3 is any colour, 2 is 256 of them, 1 the basic sixteen: what was asked for, else what the terminal says of itself. */
function levelOf({ FORCE_COLOR, COLORTERM, TERM, WT_SESSION }: ColourOptions['env']): 1 | 2 | 3 {
  if (FORCE_COLOR === '1' || FORCE_COLOR === '2' || FORCE_COLOR === '3')
    return Number(FORCE_COLOR) as 1 | 2 | 3
  if (/^(truecolor|24bit)$/.test(COLORTERM ?? '') || /-(direct|truecolor)$/.test(TERM ?? '') || WT_SESSION)
    return 3
  return /256/.test(TERM ?? '') ? 2 : 1
}

/** The first that speaks decides: flag, no-color.org, force-color.org, bixense.com/clicolors, the terminal. */
function hasColour({ color, env, isTTY }: ColourOptions): boolean {
  if (color === false || env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  if (env.CLICOLOR === '0') return false
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0') return true
  return isTTY && env.TERM !== 'dumb'
}
