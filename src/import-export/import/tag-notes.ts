import { parseTag, tagsIn } from '../../lib/text/tags.js'
import type { SourceEntry } from './format.js'

/** Returns the notes of an entry, followed by its tags: "Logo #acme #front-end". Tags in the notes are not repeated. */
export function notesWithTags({ notes, tags }: Pick<SourceEntry, 'notes' | 'tags'>): string {
  if (tags.length === 0) return notes
  const existing = new Set(tagsIn(notes))
  const added: string[] = []
  for (const tag of tags) {
    const word = cachedTagWord(tag)
    const key = word.slice(1).toLowerCase()
    if (existing.has(key)) continue
    existing.add(key)
    added.push(word)
  }
  const separator = notes === '' || /\s$/.test(notes) ? '' : ' '
  return added.length === 0 ? notes : `${notes}${separator}${added.join(' ')}`
}

/** The words of tags: most entries of a source share a few tags. */
const tagWords = new Map<string, string>()
const maxTagWords = 10_000

function cachedTagWord(tag: string): string {
  const cached = tagWords.get(tag)
  if (cached !== undefined) return cached
  const word = tagWord(tag)
  if (tagWords.size < maxTagWords) tagWords.set(tag, word)
  return word
}

/**
 * Returns the tag as a word of the notes: "Front end" becomes "#Front-end". A name without letters, such as "2024", cannot be
 * a tag and remains as text.
 */
function tagWord(name: string): string {
  const plain = name.trim().replace(/^#/, '')
  if (parseTag(plain) !== undefined) return `#${plain}`
  const word = plain.replace(/[^\p{L}\p{N}_-]+/gu, '-').replace(/^-+|-+$/g, '')
  return parseTag(word) === undefined ? plain : `#${word}`
}
