import { TtError } from '../../lib/errors.js'

/** Where a database is: the path of a SQLite file, or the URL of a PostgreSQL database. */
export type DatabaseLocation = { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string }

/** Parses `sqlite:PATH` or a `postgres://` URL. Throws TtError `usage` for any other text. */
export function parseLocation(location: string): DatabaseLocation {
  const [, scheme, path] = /^(sqlite|postgres|postgresql):(.*)$/is.exec(location) ?? []
  if (scheme === undefined || path === undefined) {
    throw new TtError('usage', `"${withoutPassword(location)}" is not a database location.`, {
      hint: 'Use sqlite:PATH or postgres://USER@HOST/DATABASE.',
    })
  }
  if (scheme.toLowerCase() !== 'sqlite') return { kind: 'postgres', url: location }
  if (path === '') {
    throw new TtError('usage', 'The path of the database is empty.', { hint: 'Use sqlite:PATH.' })
  }
  return { kind: 'sqlite', path }
}

/** Returns the text without the user and the password of a URL. */
function withoutPassword(location: string): string {
  return location.replace(/\/\/.*@/s, '//…@').replace(/([?&]password=)[^&]*/gi, '$1…')
}
