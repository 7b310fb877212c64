import type { NamedRecord } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { segmentsOf } from '../../lib/text/match-names.js'
import { fold } from '../../lib/text/nearest-names.js'
import type { CatalogLists } from '../../outbox/cache/snapshots.js'
import type { LinkNames } from './catalog.js'
import { byId, type Link } from './links.js'

/** The names of a task that does not exist yet, and what else the user may have meant. */

const levels = ['client', 'project', 'task'] as const
type Level = (typeof levels)[number]

/** A typed name that is probably a typo of an existing name at its level. */
export interface Typo {
  level: Level
  typed: string
  known: string
}

/** What text that matches no task may mean instead of the new task that it names. */
export interface Meaning {
  /** Whether the text is the name of a client or a task, which is not that of a project. */
  isOtherName: boolean
  /** The names that are probably typos. */
  typos: Typo[]
  /** The text without the typos; undefined if it then names no project. */
  corrected: string | undefined
  /** Whether the text without the typos names this link. */
  isMeant(link: Link): boolean
}

/**
 * Returns the names of a new task: Project/Task, Client/Project/Task, or a project alone or after the name of a client, which
 * gets the default task. Throws TtError `usage` if several clients have the project, or if the client, project or task is
 * archived.
 */
export function namesToCreate(
  typed: string,
  lists: CatalogLists,
  defaultTask: string,
): LinkNames | undefined {
  const names =
    projectOfClient(typed, lists, defaultTask) ?? parseLinkNames(typed) ?? projectAlone(typed, defaultTask)
  const existing = names && withExistingNames(names, lists)
  if (existing) requireActive(existing, lists)
  return existing
}

/** Throws TtError `usage` if the client, the project or the task of these names is archived. */
function requireActive(names: LinkNames, { clients, projects, tasks, links }: CatalogLists) {
  const named = clients.find(({ name }) => name === names.client)
  const found = projects.filter(
    ({ name, client_id }) =>
      name === names.project && (names.client === undefined || String(client_id) === String(named?.id)),
  )
  const project = found.find(isActive)
  const client = named ?? byId(clients).get(String(found[0]?.client_id))
  if (client && !isActive(client) && !project) throw archivedError('client', client.name)
  if (found.length > 0 && !project) throw archivedError('project', names.project, names.client)
  const task = tasks.find(({ name }) => name === names.task)
  const link = links.find(
    ({ project_id, task_id }) =>
      String(project_id) === String(project?.id) && String(task_id) === String(task?.id),
  )
  if (link?.active === false) throw archivedError('task', names.task, names.client, names.project)
}

function archivedError(kind: Level, name: string, ...parents: (string | undefined)[]): TtError {
  const path = [...parents, name].filter((name) => name !== undefined).join('/')
  return new TtError('usage', `The ${kind} "${path}" is archived.`, {
    nextStep: { action: 'restore_record', records: `${kind}s`, name: path },
  })
}

/** Returns the names of the default task of a project; undefined for paths, numbers and references such as `@1`. */
function projectAlone(typed: string, task: string): LinkNames | undefined {
  const [project, ...others] = segmentsOf(typed)
  if (project === undefined || others.length > 0 || /^[@~]/.test(project) || !/\p{L}/u.test(project))
    return undefined
  return { project, task }
}

/** Returns the names of the default task for Client/Project, whose first name is that of a client and of no project. */
function projectOfClient(
  typed: string,
  { clients, projects }: CatalogLists,
  task: string,
): LinkNames | undefined {
  const [client = '', project = '', ...others] = segmentsOf(typed)
  if (client === '' || project === '' || others.length > 0) return undefined
  const isNamed = ({ name }: NamedRecord) => fold(name) === fold(client)
  return clients.some(isNamed) && !projects.some(isNamed) ? { client, project, task } : undefined
}

/** Compares text that matches no task, and the names that `namesToCreate` returns for it, with the existing names. */
export function meaningOf(typed: string, names: LinkNames, lists: CatalogLists): Meaning {
  const known = namesByLevel(lists)
  const [word = '', ...others] = segmentsOf(typed)
  const isWord = others.length === 0 && !known.project.includes(names.project)
  // A word may be a typo of any name.
  const typos = findTypos(isWord ? { client: word, project: word, task: word } : names, known)
  const corrections: { [Key in Level]?: string } = Object.fromEntries(
    typos.map(({ level, known }) => [level, known]),
  )
  const corrected = { ...names, ...corrections }
  return {
    isOtherName: isWord && [...known.client, ...known.task].some((name) => fold(name) === fold(word)),
    typos,
    corrected: isWord ? corrections.project : levels.flatMap((level) => corrected[level] ?? []).join('/'),
    isMeant: (link) =>
      isWord
        ? typos.some(({ level, known }) => link[level]?.name === known)
        : levels.every((level) => [undefined, link[level]?.name].includes(corrected[level])),
  }
}

/** Returns the names that are probably typos of existing ones. A name that exists is none. */
export function findTypos(
  names: Partial<LinkNames>,
  known: Readonly<Record<Level, readonly string[]>>,
): Typo[] {
  return levels.flatMap((level) => {
    const typed = names[level]
    if (typed === undefined || known[level].includes(typed)) return []
    const similar = known[level].find((name) => isProbableTypo(typed, name))
    return similar === undefined ? [] : [{ level, typed, known: similar }]
  })
}

/** Parses Project/Task or Client/Project/Task; returns undefined for other text. */
function parseLinkNames(typed: string): LinkNames | undefined {
  const segments = segmentsOf(typed)
  const [first, second, third] = segments
  if (segments.length === 2 && first && second) return { project: first, task: second }
  if (segments.length === 3 && first && second && third)
    return { client: first, project: second, task: third }
  return undefined
}

/** Returns the names of the clients, projects and tasks, those of archived ones last. */
function namesByLevel({ clients, projects, tasks }: CatalogLists): Record<Level, string[]> {
  const namesOf = (records: readonly NamedRecord[]) =>
    [...records.filter(isActive), ...records.filter((record) => !isActive(record))].map(({ name }) => name)
  return { client: namesOf(clients), project: namesOf(projects), task: namesOf(tasks) }
}

function isActive({ active }: NamedRecord): boolean {
  return active !== false
}

/**
 * Replaces names by equal existing names ("website" by "Website"), and adds the client of an existing project. Throws
 * TtError `usage` if several clients have a project of that name.
 */
function withExistingNames(names: LinkNames, lists: CatalogLists): LinkNames {
  const existing = namesByLevel(lists)
  const existingName = (level: Level, name: string) =>
    existing[level].find((known) => fold(known) === fold(name)) ?? name
  const project = existingName('project', names.project)
  const task = existingName('task', names.task)
  if (names.client !== undefined) return { client: existingName('client', names.client), project, task }
  const projects = lists.projects.filter((record) => record.name === project && isActive(record))
  const clients = byId(lists.clients)
  const owners = new Set(projects.map(({ client_id }) => clients.get(String(client_id))?.name))
  const [owner] = owners
  if (owners.has(undefined) || owner === undefined) return { project, task }
  if (owners.size === 1) return { client: owner, project, task }
  throw new TtError('usage', `Several clients have a project "${project}": ${[...owners].join(', ')}.`, {
    hint: `Write Client/${project}/${task}.`,
  })
}

/** The least length of a word with a typo: shorter words that differ in a letter are often different words. */
const minLetters = 5

/**
 * Whether the names differ, word by word, in exactly one word of at least five letters, by one letter that is changed,
 * added, missing or swapped with its neighbour. A difference in digits is none of a typo: "Sprint 12" and "Sprint 13".
 * Ignores case, accents and punctuation. Takes time proportional to the length of the names.
 */
export function isProbableTypo(name: string, other: string): boolean {
  const [words, otherWords] = [wordsOf(name), wordsOf(other)]
  if (words.length !== otherWords.length) return false
  const differing = words.flatMap((word, index) => {
    const otherWord = otherWords[index] ?? ''
    return word === otherWord ? [] : [[word, otherWord] as const]
  })
  const [only, ...others] = differing
  return only !== undefined && others.length === 0 && only.every(isLong) && differsInOneLetter(...only)
}

function wordsOf(name: string): string[] {
  return fold(name).match(/[\p{L}\p{N}]+/gu) ?? []
}

function isLong(word: string): boolean {
  return (word.match(/\p{L}/gu) ?? []).length >= minLetters
}

/** Whether the words differ by one letter that is changed, added, missing or swapped with its neighbour. */
function differsInOneLetter(word: string, other: string): boolean {
  const [a, b] = [[...word], [...other]]
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [from, to] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (![...from, ...to].every((character) => /\p{L}/u.test(character))) return false
  const isSwapped = from.length === 2 && from.toReversed().join() === to.join()
  return Math.max(from.length, to.length) === 1 || isSwapped
}
