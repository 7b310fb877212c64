import { HttpError } from '../http/http-error.js'
import type { RequestLike } from '../http/request-context.js'
import { parseId } from './values.js'

/**
 * Returns the first version of a new record, or the number by which a change increases the version. It is random
 * (docs/decisions/conditional-requests.md).
 */
export function versionStep(): number {
  return 1 + Math.floor(Math.random() * 1_000_000_000)
}

/** Returns the strong entity tag (RFC 9110 section 8.8.3) of a version, with its quotes. */
export function entityTag(version: unknown): string {
  return `"${version}"`
}

/** Returns the version of a tag that `entityTag` has made; undefined for any other text. */
export function versionOfTag(tag: string): number | undefined {
  const [, version] = /^"(\d+)"$/.exec(tag) ?? []
  return parseId(version)
}

const ifMatch = 'If-Match'
const tag = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`
const tags = new RegExp(tag, 'g')
const tagList = new RegExp(String.raw`^[ \t,]*(?:${tag}[ \t]*(?:,[ \t,]*|$))*$`)

/**
 * Returns the versions that the header If-Match of a request allows (RFC 9110 section 13.1.1); undefined if it allows all,
 * because it is missing or `*`. A weak tag, a tag of another service and an unreadable header allow none.
 */
export function allowedVersions({ headers }: RequestLike): readonly number[] | undefined {
  const value = headers.get(ifMatch)?.trim()
  if (value === undefined || value === '*') return undefined
  if (!tagList.test(value)) return []
  return (value.match(tags) ?? []).flatMap((text) => versionOfTag(text) ?? [])
}

/** Throws HttpError 412 if the allowed versions do not contain that of the record; `noun` names it in the message. */
export function checkVersion(allowed: readonly number[] | undefined, version: unknown, noun: string): void {
  if (allowed === undefined || allowed.includes(Number(version))) return
  const problem = `does not contain the entity tag of the ${noun}`
  throw new HttpError(412, 'precondition_failed', `${ifMatch} ${problem}.`, { [ifMatch]: [problem] })
}
