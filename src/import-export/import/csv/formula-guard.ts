/**
 * Removes the apostrophe that CSV files have before text that a spreadsheet would run as a formula (OWASP, CSV injection).
 * Text that begins with apostrophes and then a formula has one more in files of this program.
 */
export function withoutFormulaGuard(text: string): string {
  return guarded.test(text) ? text.slice(1) : text
}

const guarded = /^'+(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/
