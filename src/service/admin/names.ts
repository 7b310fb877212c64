import { TtError } from '../../lib/errors.js'

const longest = 255

/** The name without the space around it. Throws TtError `usage` unless it has 1 to 255 characters, all of them visible. */
export function validateName(kind: string, name: string): string {
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
export function validatePathSegment(kind: string, name: string): string {
  const checked = validateName(kind, name)
  if (!checked.includes('/')) return checked
  throw new TtError('usage', `The name of ${aOrAn(kind)} cannot hold a slash: "${checked}".`, {
    hint: 'A slash separates client, project and task.',
  })
}

export function duplicateNameError(kind: string, name: string): TtError {
  return new TtError('usage', `There is ${aOrAn(kind)} "${name}" already.`, { hint: 'Choose another name.' })
}

/** Returns TtError `not_found`, whose next step is to list the records of that kind. */
export function unknownNameError(kind: keyof typeof listsByKind, name: string): TtError {
  return new TtError('not_found', `There is no ${kind} "${name}".`, {
    nextStep: { action: 'list', records: listsByKind[kind] },
  })
}

const listsByKind = {
  application: 'admin_applications',
  'expense type': 'admin_expense_types',
  project: 'admin_projects',
  user: 'admin_users',
} as const

const aOrAn = (noun: string) => `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`
