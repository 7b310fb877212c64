import { type Ink, plainInk } from './view.js'

export interface ColourOptions {
  /** False when `--no-color` was given. */
  color?: boolean | undefined
  env: Record<string, string | undefined>
  /** Whether the stream to be coloured is a terminal. */
  isTTY: boolean
}

/** The ink for a stream. Chalk is loaded only where there is colour. */
export async function inkFor(options: ColourOptions): Promise<Ink> {
  if (!wantsColour(options)) return plainInk
  const { Chalk } = await import('chalk')
  // The sixteen basic colours, which every terminal with colour has and its owner has chosen.
  return new Chalk({ level: 1 })
}

/** The first that speaks decides: flag, no-color.org, force-color.org, bixense.com/clicolors, the terminal. */
function wantsColour({ color, env, isTTY }: ColourOptions): boolean {
  if (color === false || env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  if (env.CLICOLOR === '0') return false
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0') return true
  return isTTY && env.TERM !== 'dumb'
}
