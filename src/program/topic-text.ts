import type { Part, Row, Topic } from './topics.js'

const width = 80
/** Where the meanings of short terms begin. */
const column = 20

/** A topic as `tt help` shows it, in lines of at most 80 characters. */
export function topicText({ name, summary, parts }: Topic): string {
  const title = `${name}: ${summary}`
  return `${[title, ...parts.map(partText)].join('\n\n')}\n`
}

/** The topics in a line each, under the help of `tt`. */
export function topicList(topics: readonly Topic[]): string {
  const lines = topics.map(({ name, summary }) => `  ${name.padEnd(13)}${summary}`)
  return `\nTopics (tt help TOPIC):\n${lines.join('\n')}`
}

function partText(part: Part): string {
  if (typeof part === 'string') return wrapped(part, 0)
  if ('lines' in part) return part.lines.map((line) => `    ${line}`).join('\n')
  return part.rows.map(rowText).join('\n')
}

function rowText([term, meaning]: Row): string {
  const text = wrapped(meaning, column)
  const head = `  ${term}`
  return head.length > column - 2 ? `${head}\n${text}` : `${head.padEnd(column)}${text.trimStart()}`
}

function wrapped(text: string, indent: number): string {
  const lines: string[] = []
  let line = ''
  // Code is not broken.
  for (const [word] of text.matchAll(/(?:[^\s`]|`[^`]*`)+/g)) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((each) => `${' '.repeat(indent)}${each}`).join('\n')
}
