import { displayWidth, wrapMessage, wrapText } from './text.js'

/** Matches an example in a help text, which stays on one line so that it can be copied. */
const example = /^(?: {4}\S| {2}\$ )/
/** Matches a term with the spaces before its meaning. */
const termAndGap = /^ *\S+(?: \S+)* {2,}(?=\S)/
/** The least width of meanings beside their terms. */
const minMeaningWidth = 20

/**
 * Returns a help text for a terminal of this width, without a break in a word. Continued lines begin below the meaning of a
 * term, or have the indent of their first line.
 */
export function wrapHelp(text: string, width: number | undefined): string {
  const lines = text.split('\n')
  if (width === undefined || lines.every((line) => displayWidth(line) <= width)) return text
  const wrapLine = (line: string) => {
    if (displayWidth(line) <= width || example.test(line)) return line
    const term = termAndGap.exec(line)?.[0] ?? ''
    if (term === '') return wrapMessage(line, width)
    const isBeside = width - term.length >= minMeaningWidth
    const indent = ' '.repeat(isBeside ? term.length : 4)
    const meaning = wrapText(line.slice(term.length), width - indent.length, { canBreakWords: false })
      .map((part) => indent + part)
      .join('\n')
    return isBeside ? term + meaning.slice(term.length) : `${term.trimEnd()}\n${meaning}`
  }
  return joinMeanings(lines).map(wrapLine).join('\n')
}

/** Joins the lines of a meaning, which were wrapped for a wider terminal. */
function joinMeanings(lines: readonly string[]): string[] {
  const joined: string[] = []
  let indent = ''
  for (const line of lines) {
    const last = joined.at(-1)
    if (last !== undefined && indent !== '' && line.startsWith(indent) && line.charAt(indent.length) !== ' ')
      joined[joined.length - 1] = `${last} ${line.slice(indent.length)}`
    else {
      joined.push(line)
      indent = ' '.repeat(termAndGap.exec(line)?.[0].length ?? 0)
    }
  }
  return joined
}
