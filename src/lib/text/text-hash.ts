/**
 * Returns a hash of 64 bits, 16 hexadecimal digits: FNV-1a (draft-eastlake-fnv) over the UTF-16 code units, with two
 * offsets. It does not protect against an attacker, but needs no node:crypto, which is too slow for short commands.
 */
export function textHash(text: string): string {
  return [0x811c9dc5, 0x050c5d1f].map((offset) => hash32(text, offset)).join('')
}

function hash32(text: string, offset: number): string {
  let hash = offset
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
