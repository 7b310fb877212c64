import { createHash } from 'node:crypto'
import { TtError } from '../../lib/errors.js'

/** A keychain, as far as it is used: named secrets under one service. */
export interface KeychainItems {
  /** The longest secret that one item takes. */
  readonly maxCharacters: number
  get(account: string): Promise<string | null>
  set(account: string, secret: string): Promise<void>
  /** Whether there was one. */
  remove(account: string): Promise<boolean>
}

/** What stands in the profile's own item when the secret is in several others. */
interface Header {
  /** The first key: by it a header is told from a secret. */
  generation: 'a' | 'b'
  parts: number
  /** SHA-256 of the whole. */
  sha256: string
}

const headerBegins = '{"generation":'

/** The secret of a profile, which is JSON; null when nothing is stored. Throws TtError `failure` when parts are missing. */
export async function readSecret(items: KeychainItems, profile: string): Promise<string | null> {
  // Between header and parts another process may replace both; the next header is then the right one.
  for (let attempts = 0; attempts < 3; attempts++) {
    const stored = await items.get(profile)
    if (!stored?.startsWith(headerBegins)) return stored
    const header = headerIn(stored)
    if (!header) break
    const whole = await joined(items, profile, header)
    if (digest(whole) === header.sha256) return whole
  }
  throw new TtError('failure', 'What the keychain holds for this profile is incomplete.', {
    hint: 'Sign in again with `tt login`: that replaces it.',
  })
}

/**
 * Replaces the secret of a profile: in one item where it fits, otherwise in parts with a header in that item. The
 * secret is JSON, so what is not ASCII can be kept escaped: a keychain need not agree on anything else.
 *
 * Parts never go over those that are in use: there are two generations of them, `PROFILE#a1` and `PROFILE#b1` onwards,
 * and the header, written last, says which one counts. Whatever moment it is cut off at, either the old secret or the
 * new one is there; what is left over then goes at the next time.
 */
export async function writeSecret(items: KeychainItems, profile: string, secret: string): Promise<void> {
  const ascii = secret.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  if (ascii.length <= items.maxCharacters && !ascii.startsWith(headerBegins)) {
    await items.set(profile, ascii)
    await sweep(items, profile, 'a', 1)
    await sweep(items, profile, 'b', 1)
    return
  }
  const before = headerIn(await items.get(profile))
  const generation = before?.generation === 'a' ? 'b' : 'a'
  const parts = ascii.match(new RegExp(`[^]{1,${Math.min(items.maxCharacters, ascii.length)}}`, 'g')) ?? []
  for (const [index, part] of parts.entries()) await items.set(partName(profile, generation, index + 1), part)
  const header: Header = { generation, parts: parts.length, sha256: digest(ascii) }
  await items.set(profile, JSON.stringify(header))
  await sweep(items, profile, generation, parts.length + 1)
  await sweep(items, profile, generation === 'a' ? 'b' : 'a', 1)
}

export async function removeSecret(items: KeychainItems, profile: string): Promise<void> {
  await items.remove(profile)
  await sweep(items, profile, 'a', 1)
  await sweep(items, profile, 'b', 1)
}

const partName = (profile: string, generation: string, number: number) => `${profile}#${generation}${number}`

/** Removes the parts from a number on, the last one first: what is left, if it is cut off, has no gap. */
async function sweep(items: KeychainItems, profile: string, generation: Header['generation'], first: number) {
  let end = first
  while ((await items.get(partName(profile, generation, end))) !== null) end++
  for (let number = end - 1; number >= first; number--)
    await items.remove(partName(profile, generation, number))
}

async function joined(items: KeychainItems, profile: string, { generation, parts }: Header): Promise<string> {
  let whole = ''
  for (let number = 1; number <= parts; number++) {
    whole += (await items.get(partName(profile, generation, number))) ?? ''
  }
  return whole
}

/** undefined for what is no header, or a damaged one. */
function headerIn(stored: string | null): Header | undefined {
  if (!stored?.startsWith(headerBegins)) return undefined
  try {
    return JSON.parse(stored)
  } catch {
    return undefined
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
