import { TtError } from '../../lib/errors.js'

const longest = 255

/** The name without the space around it. Throws TtError `usage` unless it has 1 to 255 characters, all of them visible. */
export function checkedName(kind: string, name: string): string {
  const trimmed = name.trim()
  if (trimmed === '') throw new TtError('usage', `The name of ${aOrAn(kind)} cannot be empty.`)
  if (trimmed.length > longest) {
    throw new TtError('usage', `The name of ${aOrAn(kind)} cannot be longer than ${longest} characters.`)
  }
  if (/[\p{Control}\p{Surrogate}]/u.test(trimmed)) {
    throw new TtError('usage', `The name of ${aOrAn(kind)} cannot hold control characters.`)
  }
  return trimmed
}

/** A name that stands in a path such as Client/Project/Task. Throws like `checkedName`, and for a slash. */
export function checkedSegment(kind: string, name: string): string {
  const checked = checkedName(kind, name)
  if (!checked.includes('/')) return checked
  throw new TtError('usage', `The name of ${aOrAn(kind)} cannot hold a slash: "${checked}".`, {
    hint: 'A slash separates client, project and task.',
  })
}

export function duplicateName(kind: string, name: string): TtError {
  return new TtError('usage', `There is ${aOrAn(kind)} "${name}" already.`, { hint: 'Choose another name.' })
}

/** `list` is the command that shows what there is. */
export function unknownName(kind: string, name: string, list: string): TtError {
  return new TtError('not_found', `There is no ${kind} "${name}".`, { hint: `See what there is: ${list}` })
}

const aOrAn = (noun: string) => `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`
