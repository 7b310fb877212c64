/** Separates the values from those written `!value`. An included value that begins with `!` is written `\!value`. */
export function separateExcluded(typed: readonly string[]): { included: string[]; excluded: string[] } {
  return {
    included: typed.filter((value) => !value.startsWith('!')).map((value) => value.replace(/^\\!/, '!')),
    excluded: typed.filter((value) => value.startsWith('!')).map((value) => value.slice(1)),
  }
}
