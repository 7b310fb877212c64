/**
 * Returns a command line about the record with that ID: `tt edit 7 --to 9:00`. An ID that begins with a hyphen follows
 * `--` at the end, so that it is not parsed as an option: `tt edit --to 9:00 -- -7`.
 *
 * @param options begins with a space, or is empty
 * @param quote quotes the ID for a shell
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
