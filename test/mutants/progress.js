// Which of the recorded outcomes are of the current files.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './checkout.js'

const file = join(root, 'node_modules/.cache/tt-mutants.json')

/** Reads hashes by name of mutant: each of the texts with which the recorded outcome was found. */
export function readProgress() {
  /** @type {[string, string][]} */
  const entries = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
  return new Map(entries)
}

/** @param {Map<string, string>} progress */
export function writeProgress(progress) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify([...progress]))
}

/** @param {string[]} texts */
export function hashOf(...texts) {
  return createHash('sha256').update(JSON.stringify(texts)).digest('base64url')
}
