import { formatDateTime, parseTime, toRfc3339 } from '../../calendar/time.js'
import { pad } from '../../calendar/wall-time.js'
import { type Entry, labelOf } from '../../entries/entry.js'

/**
 * Entries as a text to edit: a block each, `entry ID` and below it a line for each field. Further lines of the notes are
 * indented; what begins with # is not read. Lines are counted from 0.
 */

export const fieldNames = ['task', 'from', 'to', 'notes'] as const
export type FieldName = (typeof fieldNames)[number]

export interface Field {
  value: string
  line: number
}

export interface Block {
  id: string
  line: number
  fields: Partial<Record<FieldName, Field>>
}

/** What is wrong, and at which line. */
export interface FormError {
  line: number
  message: string
}

const introduction = `# Change what stands behind the colons, save, and close the editor.
# Times are such as 9:30, "yesterday 17:00" or 2024-05-01 09:30; "to: running" for what runs.
# Further lines of notes are indented by two spaces. Lines that begin with # are not read.
# An entry whose block is removed stays as it is. Nothing at all changes nothing.
`

/** The text for the entries. */
export function createForm(entries: readonly Entry[]): string {
  return [introduction, ...entries.map(blockOf)].join('\n')
}

function blockOf(entry: Entry): string {
  const { id, start, end, notes } = entry
  const lines = notes.split(/\r\n|\r|\n/).join('\n  ')
  return `entry ${id}
task: ${singleLine(labelOf(entry))}
from: ${exactTime(start)}
to: ${end ? exactTime(end) : 'running'}
notes: ${lines}
`
}

/** A name may contain line breaks, and a task has one line. */
function singleLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** A moment in words that are read as exactly that moment. */
function exactTime(at: Date): string {
  const seconds = at.getSeconds() === 0 ? '' : `:${pad(at.getSeconds())}`
  const plain = `${formatDateTime(at)}${seconds}`
  // The second of two equal wall times is told by its offset, and so are milliseconds.
  return parseTime(plain, at).getTime() === at.getTime() ? plain : toRfc3339(at)
}

/** Reads a text back, as far as it can be read. */
export function splitForm(text: string): { blocks: Block[]; flaws: FormError[] } {
  const blocks: Block[] = []
  const flaws: FormError[] = []
  /** The notes that the next lines may belong to. */
  let notes: Field | undefined
  for (const [line, given] of text.split(/\r?\n/).entries()) {
    const flaw = (message: string) => flaws.push({ line, message })
    const plain = given.trimEnd()
    if (plain.startsWith('#')) continue
    if (notes && (plain === '' || /^\s/.test(plain))) {
      notes.value += `\n${plain.replace(/^(\t| {1,2})/, '')}`
      continue
    }
    if (plain === '') continue
    notes = undefined
    const id = /^entry\s+(\S+)$/i.exec(plain)?.[1]
    if (id !== undefined) {
      if (blocks.some((block) => block.id === id)) flaw(`Entry ${id} is there twice.`)
      blocks.push({ id, line, fields: {} })
      continue
    }
    const [, word = '', value = ''] = /^(\w+)\s*:(.*)$/.exec(plain) ?? []
    const name = fieldNames.find((known) => known === word.toLowerCase())
    const block = blocks.at(-1)
    if (!name) flaw(unknownLineText(plain))
    else if (!block) flaw('This stands before the first "entry ID".')
    else if (block.fields[name]) flaw(`There are two lines of ${name}. Further lines of notes are indented.`)
    else {
      const field = { value, line }
      block.fields[name] = field
      if (name === 'notes') notes = field
    }
  }
  for (const { fields } of blocks) for (const field of Object.values(fields)) field.value = field.value.trim()
  return { blocks, flaws }
}

function unknownLineText(line: string): string {
  if (/^\s/.test(line)) return 'Only notes have further lines.'
  return `This is none of "entry ID", ${fieldNames.map((name) => `"${name}:"`).join(', ')}. Further lines of notes are indented.`
}

const errorMark = '# error: '

/** The text with each flaw above its line. */
export function withErrors(text: string, errors: readonly FormError[]): string {
  const lines = text.split('\n')
  for (const { line, message } of [...errors].sort((a, b) => b.line - a.line))
    lines.splice(line, 0, `${errorMark}${message.replace(/\s+/g, ' ')}`)
  return lines.join('\n')
}

/** The text without the flaws that an earlier attempt had. */
export function withoutErrors(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith(errorMark))
    .join('\n')
}
