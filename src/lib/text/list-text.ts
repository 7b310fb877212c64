/** Returns words as a list in a sentence: "client, project and task". */
export function listText(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' and ')
}

/** Returns "a, b or c". */
export function alternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
