import { TtError } from '../../lib/errors.js'

const maxLength = 255

/** Returns the name without surrounding space. Throws TtError `usage` unless it has 1 to 255 characters without controls. */
export function validateName(kind: string, name: string): string {
  const trimmed = name.trim()
  if (trimmed === '') throw new TtError('usage', `The name of ${withArticle(kind)} cannot be empty.`)
  if (trimmed.length > maxLength) {
    throw new TtError(
      'usage',
      `The name of ${withArticle(kind)} cannot be longer than ${maxLength} characters.`,
    )
  }
  if (/[\p{Control}\p{Surrogate}]/u.test(trimmed)) {
    throw new TtError('usage', `The name of ${withArticle(kind)} cannot contain control characters.`)
  }
  return trimmed
}

/** Validates a name that is part of a path such as Client/Project/Task. Throws like `validateName`, and for a slash. */
export function validatePathSegment(kind: string, name: string): string {
  const trimmed = validateName(kind, name)
  if (!trimmed.includes('/')) return trimmed
  throw new TtError('usage', `The name of ${withArticle(kind)} cannot contain a slash: "${trimmed}".`, {
    hint: 'Slashes separate client, project and task.',
  })
}

export function duplicateNameError(kind: string, name: string): TtError {
  return new TtError('usage', `There is already ${withArticle(kind)} "${name}".`, {
    hint: 'Choose another name.',
  })
}

/** Returns TtError `not_found`, whose next step is to list the records of that kind. */
export function unknownNameError(kind: keyof typeof listsByKind, name: string): TtError {
  return new TtError('not_found', `There is no ${kind} "${name}".`, {
    nextStep: { action: 'list', records: listsByKind[kind] },
  })
}

const listsByKind = {
  application: 'admin_applications',
  client: 'admin_clients',
  'expense type': 'admin_expense_types',
  project: 'admin_projects',
  task: 'admin_tasks',
  token: 'admin_tokens',
  user: 'admin_users',
} as const

const withArticle = (noun: string) => `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`
