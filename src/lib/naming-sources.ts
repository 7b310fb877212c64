import { TtError } from './errors.js'

/** Returns an error whose message names the sources of options, such as `TT_PORT` or `-o x.csv`, instead of their flags. */
export function namingSources(error: unknown, sources: ReadonlyMap<string, string>): unknown {
  if (!(error instanceof TtError)) return error
  const message = error.message.replace(/--[a-z][a-z-]*/g, (flag) => sources.get(flag) ?? flag)
  return message === error.message ? error : new TtError(error.code, message, error)
}
