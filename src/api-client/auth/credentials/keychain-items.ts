import { createHash } from 'node:crypto'
import { TtError } from '../../../lib/errors.js'

/** The functions of a keychain that are used here: named secrets under one service. */
export interface KeychainItems {
  /** Maximum length of the secret of one item. */
  readonly maxCharacters: number
  get(account: string): Promise<string | null>
  set(account: string, secret: string): Promise<void>
  /** Returns whether the item existed. */
  remove(account: string): Promise<boolean>
}

/** Content of the profile's item when its secret is split into several other items. */
interface Header {
  /** The first key, which distinguishes a header from a secret. */
  generation: 'a' | 'b'
  parts: number
  /** SHA-256 of the whole secret. */
  sha256: string
}

const headerPrefix = '{"generation":'

/** Reads the secret of a profile, which is JSON; null when nothing is stored. Throws TtError `failure` when parts are missing. */
export async function readSecret(items: KeychainItems, profile: string): Promise<string | null> {
  // Another process may replace the parts after their header was read; a new attempt reads the new header.
  for (let attempt = 1; attempt <= 3; attempt++) {
    const stored = await items.get(profile)
    if (!stored?.startsWith(headerPrefix)) return stored
    const header = parseHeader(stored)
    if (!header) break
    const secret = await joinParts(items, profile, header)
    if (digest(secret) === header.sha256) return secret
  }
  throw new TtError('failure', 'The credentials of this profile in the keychain are incomplete.', {
    hint: 'A new sign-in replaces them.',
    nextStep: { action: 'sign_in' },
  })
}

/**
 * Replaces the secret of a profile: in one item if it fits, otherwise in parts with a header in that item. The secret is
 * JSON, so characters outside ASCII are escaped, and keychains with other encodings can store it.
 *
 * New parts never overwrite the current ones: there are two generations of parts, `PROFILE#a1` and `PROFILE#b1` onwards,
 * and the header, written last, names the valid one. After an interruption at any moment, either the old or the new
 * secret is complete; the next write removes obsolete parts.
 */
export async function writeSecret(items: KeychainItems, profile: string, secret: string): Promise<void> {
  const ascii = secret.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  if (ascii.length <= items.maxCharacters && !ascii.startsWith(headerPrefix)) {
    await items.set(profile, ascii)
    await removeParts(items, profile, 'a', 1)
    await removeParts(items, profile, 'b', 1)
    return
  }
  const previous = parseHeader(await items.get(profile))
  const generation = previous?.generation === 'a' ? 'b' : 'a'
  const parts = ascii.match(new RegExp(`[^]{1,${Math.min(items.maxCharacters, ascii.length)}}`, 'g')) ?? []
  for (const [index, part] of parts.entries()) await items.set(partName(profile, generation, index + 1), part)
  const header: Header = { generation, parts: parts.length, sha256: digest(ascii) }
  await items.set(profile, JSON.stringify(header))
  await removeParts(items, profile, generation, parts.length + 1)
  await removeParts(items, profile, generation === 'a' ? 'b' : 'a', 1)
}

/** Removes the secret of a profile with all its parts. */
export async function removeSecret(items: KeychainItems, profile: string): Promise<void> {
  await items.remove(profile)
  await removeParts(items, profile, 'a', 1)
  await removeParts(items, profile, 'b', 1)
}

const partName = (profile: string, generation: string, number: number) => `${profile}#${generation}${number}`

/** Removes the parts from number `first` on, in reverse: after an interruption, the remaining parts have no gap. */
async function removeParts(
  items: KeychainItems,
  profile: string,
  generation: Header['generation'],
  first: number,
) {
  let end = first
  while ((await items.get(partName(profile, generation, end))) !== null) end++
  for (let number = end - 1; number >= first; number--)
    await items.remove(partName(profile, generation, number))
}

async function joinParts(
  items: KeychainItems,
  profile: string,
  { generation, parts }: Header,
): Promise<string> {
  let secret = ''
  for (let number = 1; number <= parts; number++) {
    secret += (await items.get(partName(profile, generation, number))) ?? ''
  }
  return secret
}

/** Parses a header; undefined for other text and for a damaged header. */
function parseHeader(stored: string | null): Header | undefined {
  if (!stored?.startsWith(headerPrefix)) return undefined
  try {
    return JSON.parse(stored)
  } catch {
    return undefined
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
