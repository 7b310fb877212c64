/** Returns the text with its first letter in upper case. */
export function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** Returns a number with its noun: "1 change", "1,204 entries". The plural adds an s unless it is given. */
export function countText(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`
}

/** Returns words as a list in a sentence: "client, project and task". */
export function listText(words: readonly string[]): string {
  return joined(words, ' and ')
}

/** Returns "a, b or c". */
export function alternatives(words: readonly string[]): string {
  return joined(words, ' or ')
}

function joined(words: readonly string[], last: string): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(last)
}
