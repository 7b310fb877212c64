import type { Style } from '../view.js'

/** How a chart is drawn in a terminal, a pipe or a file. */
export interface ChartOptions {
  style: Style
  /** The width of the terminal in cells; undefined off a terminal. */
  width: number | undefined
  /** Whether blocks and shades may be used, or ASCII alone. */
  unicode: boolean
}

/** Where nobody knows the width. */
export const defaultWidth = 80

/**
 * Whether a terminal, or whoever reads what is piped, shows more than ASCII: by the locale (POSIX, "Environment
 * Variables": LC_ALL over LC_CTYPE over LANG). Windows has no such variables and terminals that do.
 */
export function canDrawUnicode(
  env: Record<string, string | undefined>,
  platform: string = process.platform,
): boolean {
  if (env.TERM === 'dumb') return false
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  return locale ? /utf-?8/i.test(locale) : platform === 'win32'
}
