/**
 * Tags are words in the notes that begin with `#`, as in klog: "Call about the #logo" has the tag "logo". They are part of
 * the notes, so that every service keeps them.
 */

/** A `#` and a word with at least one letter, so that "#123" and "page/#top" are none. V8 needs 0.7 ms to create it. */
const tagPattern = () => /(?<![\p{L}\p{N}_#&/])#([\p{N}_-]*\p{L}[\p{L}\p{N}_-]*)/gu

/** Returns the tags in notes, in lower case, in the order of their first use and without repetition. */
export function tagsIn(notes: string): string[] {
  if (!notes.includes('#')) return []
  const tags = new Set<string>()
  for (const [, tag = ''] of notes.matchAll(tagPattern())) tags.add(tag.toLowerCase())
  return [...tags]
}

/** Returns the notes with every tag replaced. */
export function replaceTags(notes: string, replace: (tag: string) => string): string {
  return notes.includes('#') ? notes.replace(tagPattern(), (tag) => replace(tag)) : notes
}

/** Returns the tag that a text such as "logo" or "#Logo" names, in lower case; undefined if it cannot be one. */
export function parseTag(text: string): string | undefined {
  const [tag] = tagsIn(text.startsWith('#') ? text : `#${text}`)
  return tag?.length === text.replace(/^#/, '').length ? tag : undefined
}
