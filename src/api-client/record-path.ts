import { TtError } from '../lib/errors.js'
import { percentEncode } from './http/request.js'
import type { Id } from './types.js'

/**
 * Returns the path of one record of a list. Throws TtError `not_found` for an ID that would make it the path of the list:
 * no record has such an ID.
 */
export function recordPath(list: string, id: Id): string {
  const text = String(id)
  if (['', '.', '..'].includes(text)) throw new TtError('not_found', `No record has the ID "${text}".`)
  return `${list}/${percentEncode(text)}`
}
