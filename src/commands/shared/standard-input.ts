import { TtError } from '../../lib/errors.js'

/** More than a secret that is taken can have, in any encoding. */
const maxBytes = 8 * 1024

/**
 * The secret on standard input, for the option that asks for it there: one line, whose end is not part of it.
 *
 * Throws TtError `usage` when there is nothing, more than one line, or what is no text.
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
  if (line === '') throw invalidInput(`There is no ${what} on standard input.`)
  if (bytes > maxBytes || /[\p{Control}\ufffd]/u.test(line)) {
    throw invalidInput('What is on standard input is not one line of text.')
  }
  return line
}
