import { TtError } from '../../lib/errors.js'

/** Upper bound for a secret in any encoding, in bytes. */
const maxBytes = 8 * 1024

/**
 * Reads a secret from standard input: one line, returned without its line ending.
 *
 * Throws TtError `usage` for empty input, several lines, or data that is not text.
 *
 * @param what such as "password"
 */
export async function readSecret(
  stdin: NodeJS.ReadableStream,
  what: string,
  option: `--${string}`,
): Promise<string> {
  const invalidInput = (message: string) =>
    new TtError('usage', message, { hint: `Pipe the ${what} in: … ${option} < FILE` })
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    if (bytes > maxBytes) break
  }
  const line = Buffer.concat(chunks)
    .toString()
    .replace(/^\ufeff/, '') // PowerShell may begin with it.
    .replace(/\r?\n$/, '')
  if (line === '') throw invalidInput(`Standard input contains no ${what}.`)
  if (bytes > maxBytes || /[\p{Control}\ufffd]/u.test(line)) {
    throw invalidInput('Standard input is not one line of text.')
  }
  return line
}
