/** Prints a figure of a test. */
export function printFigure(text: string) {
  process.stdout.write(`${text}\n`)
}
