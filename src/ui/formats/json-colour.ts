import type { Style } from '../view.js'

/** Matches a string, with the colon if it is a key, and the literals except numbers. */
const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b/g

/** Returns JSON text with colours: keys cyan, strings green, booleans yellow, null dim. Numbers have no colour. */
export function colourJson(json: string, { cyan, green, yellow, dim }: Style): string {
  return json.replace(token, (literal, string?: string, colon?: string) => {
    if (string !== undefined) return colon === undefined ? green(string) : `${cyan(string)}${colon}`
    return literal === 'null' ? dim(literal) : yellow(literal)
  })
}
