import { formatExactTime } from '../../lib/calendar/time.js'
import { type Entry, labelOf } from '../../tracking/entries/entry.js'

/**
 * The text form of entries for an editor: a block for each, `entry ID` and a line for each field. Further lines of notes
 * are indented; lines that begin with # are comments. Line numbers start at 0.
 */

const fieldNames = ['task', 'from', 'to', 'notes'] as const
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

/** An error at a line. */
export interface FormError {
  line: number
  message: string
}

const introduction = `# Edit the values after the colons, save, and close the editor.
# Times: 9:30, "yesterday 17:00" or 2024-05-01 09:30; "to: running" for a running entry.
# Indent further lines of notes by two spaces. Lines that begin with # are ignored.
# Removing a block leaves its entry unchanged. An empty file changes nothing.
`

/** Returns the text for the entries. */
export function createForm(entries: readonly Entry[]): string {
  return [introduction, ...entries.map(blockOf)].join('\n')
}

function blockOf(entry: Entry): string {
  const { id, start, end, notes } = entry
  const lines = notes.split(/\r\n|\r|\n/).join('\n  ')
  return `entry ${id}
task: ${singleLine(labelOf(entry))}
from: ${formatExactTime(start)}
to: ${end ? formatExactTime(end) : 'running'}
notes: ${lines}
`
}

/** Replaces line breaks, which names can contain. */
function singleLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Splits a text into blocks; collects the errors of lines that cannot be parsed. */
export function splitForm(text: string): { blocks: Block[]; errors: FormError[] } {
  const blocks: Block[] = []
  const errors: FormError[] = []
  /** The field that further lines of notes belong to. */
  let notes: Field | undefined
  for (const [line, typed] of text.split(/\r?\n/).entries()) {
    const addError = (message: string) => errors.push({ line, message })
    const plain = typed.trimEnd()
    if (plain.startsWith('#')) continue
    if (notes && (plain === '' || /^\s/.test(plain))) {
      notes.value += `\n${plain.replace(/^(\t| {1,2})/, '')}`
      continue
    }
    if (plain === '') continue
    notes = undefined
    const id = /^entry\s+(\S+)$/i.exec(plain)?.[1]
    if (id !== undefined) {
      if (blocks.some((block) => block.id === id)) addError(`Entry ${id} occurs twice.`)
      blocks.push({ id, line, fields: {} })
      continue
    }
    const [, label = '', value = ''] = /^(\w+)\s*:(.*)$/s.exec(plain) ?? []
    const name = fieldNames.find((known) => known === label.toLowerCase())
    const block = blocks.at(-1)
    if (!name) addError(unknownLineText(plain))
    else if (!block) addError('This line is before the first "entry ID".')
    else if (block.fields[name]) addError(`There are two "${name}:" lines. Indent further lines of notes.`)
    else {
      const field = { value, line }
      block.fields[name] = field
      if (name === 'notes') notes = field
    }
  }
  for (const { fields } of blocks) for (const field of Object.values(fields)) field.value = field.value.trim()
  return { blocks, errors }
}

function unknownLineText(line: string): string {
  if (/^\s/.test(line)) return 'Only notes can have further lines.'
  return `Expected one of "entry ID", ${fieldNames.map((name) => `"${name}:"`).join(', ')}. Indent further lines of notes.`
}

const errorMark = '# error: '

/** Returns the text with a comment above each line that has an error. */
export function withErrors(text: string, errors: readonly FormError[]): string {
  const lines = text.split('\n')
  for (const { line, message } of [...errors].sort((a, b) => b.line - a.line))
    lines.splice(line, 0, `${errorMark}${message.replace(/\s+/g, ' ')}`)
  return lines.join('\n')
}

/** Removes the comments that `withErrors` adds. */
export function withoutErrors(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith(errorMark))
    .join('\n')
}
