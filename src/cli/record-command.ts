/**
 * Returns a command line about the record with that id: `tt edit 7 --to 9:00`. An id that begins with a hyphen follows
 * `--` at the end, where no command takes it for an option: `tt edit --to 9:00 -- -7`.
 *
 * @param options begins with a space, or is empty
 * @param quote makes a word of a shell of the id
 */
export function recordCommand(
  command: string,
  id: string | number,
  options = '',
  quote: (text: string) => string = String,
): string {
  const text = quote(String(id))
  return String(id).startsWith('-') ? `${command}${options} -- ${text}` : `${command} ${text}${options}`
}
