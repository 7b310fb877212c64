import type { Part, Row, Topic } from './topics.js'

const width = 80
/** Column at which the meanings of terms begin. */
const meaningColumn = 20

/** Returns the text of a topic for `tt help`, in lines of at most 80 characters. */
export function topicText({ name, summary, parts }: Topic): string {
  const title = `${name}: ${summary}`
  return `${[title, ...parts.map(partText)].join('\n\n')}\n`
}

function partText(part: Part): string {
  if (typeof part === 'string') return wrap(part, 0)
  if ('lines' in part) return part.lines.map((line) => `    ${line}`).join('\n')
  return part.rows.map(rowText).join('\n')
}

function rowText([term, meaning]: Row): string {
  const text = wrap(meaning, meaningColumn)
  const head = `  ${term}`
  return head.length > meaningColumn - 2
    ? `${head}\n${text}`
    : `${head.padEnd(meaningColumn)}${text.trimStart()}`
}

/** Returns text in lines of at most 80 characters, each indented by `indent` spaces. Text in backticks is not broken. */
export function wrap(text: string, indent: number): string {
  const lines: string[] = []
  let line = ''
  for (const [word] of text.matchAll(/(?:[^\s`]|`[^`]*`)+/g)) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((each) => `${' '.repeat(indent)}${each}`).join('\n')
}
