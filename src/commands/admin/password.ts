import { TtError } from '../../errors.js'

/** More than a password that is taken can have, in any encoding. */
const mostBytes = 8 * 1024

/**
 * The password on standard input: one line, whose end is not part of it.
 *
 * Throws TtError `usage` when there is nothing, more than one line, or what is no text.
 */
export async function passwordFrom(stdin: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    if (bytes > mostBytes) break
  }
  const line = Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '')
  if (line === '') throw unusable('There is no password on standard input.')
  if (bytes > mostBytes || /[\p{Control}\ufffd]/u.test(line)) {
    throw unusable('What is on standard input is not one line of text.')
  }
  return line
}

const unusable = (message: string) =>
  new TtError('usage', message, { hint: 'Pipe the password in: … --password-stdin < password.txt' })
