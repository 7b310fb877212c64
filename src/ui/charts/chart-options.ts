import type { Style } from '../view.js'

/** Options for drawing a chart. */
export interface ChartOptions {
  style: Style
  /** The width of the terminal in cells; undefined off a terminal. */
  width: number | undefined
  /** Whether to use blocks and shades instead of ASCII. */
  unicode: boolean
}

/** The width if it is unknown. */
export const defaultWidth = 80

/**
 * Whether the output can show more than ASCII, by the locale (POSIX, "Environment Variables": LC_ALL over LC_CTYPE over
 * LANG). Windows has no such variables, and its terminals show Unicode.
 */
export function canDrawUnicode(
  env: Record<string, string | undefined>,
  platform: string = process.platform,
): boolean {
  if (env.TERM === 'dumb') return false
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  return locale ? /utf-?8/i.test(locale) : platform === 'win32'
}
