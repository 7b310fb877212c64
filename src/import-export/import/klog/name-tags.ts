import type { SourceEntry } from '../format.js'

/** Matches a tag with a value, such as `#project="Front end"` (klog file format specification, section "Tags"). */
const nameTag = () => /#(client|project|task)=("[^"]*"|'[^']*'|[\p{L}\p{N}_-]+)/giu
const firstNameTag = () => new RegExp(String.raw`^(?:${nameTag().source})(?:\s+|$)`, 'iu')

type Names = Pick<Partial<SourceEntry>, 'client' | 'project' | 'task'>

/** The tags that contain names, in lower case. */
const nameTags = new Set(['client', 'project', 'task'])

/** Whether a tag contains a name, so that it is no tag of the entry. */
export function isNameTag(tag: string): boolean {
  return nameTags.has(tag)
}

/** Returns the names in the tags `#client=…`, `#project=…` and `#task=…` of texts; the first text takes precedence. */
export function namesIn(...texts: readonly string[]): Names {
  const names: Names = {}
  for (const text of texts) {
    if (!text.includes('#')) continue
    for (const [, key = '', value = ''] of text.matchAll(nameTag())) {
      names[key.toLowerCase() as keyof Names] ??= value.replace(/^(["'])(.*)\1$/s, '$2')
    }
  }
  return names
}

/** Returns the text without the tags with names at its beginning, where an export of this program writes them. */
export function withoutNameTags(text: string): string {
  if (!text.startsWith('#')) return text
  let rest = text
  for (let tag = firstNameTag().exec(rest); tag; tag = firstNameTag().exec(rest))
    rest = rest.slice(tag[0].length)
  return rest
}
