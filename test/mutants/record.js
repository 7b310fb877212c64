// The record: one line for each mutant with its outcome, and which of these outcomes are of the current files.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './checkout.js'

const recordFile = join(root, 'test/mutants/results.tsv')
const progressFile = join(root, 'node_modules/.cache/tt-mutants.json')

/**
 * @typedef {'died' | 'survived' | 'failed'} Kind `failed`: the mutant could not be tested
 * @typedef {{ kind: Kind, detail: string }} Outcome with the test that failed, the reason of a survivor, or the error
 */

/** Reads the outcomes by name of mutant. */
export function readRecord() {
  const lines = existsSync(recordFile) ? readFileSync(recordFile, 'utf8').trimEnd().split('\n').slice(1) : []
  return new Map(
    lines.map((line) => {
      const [name = '', kind = '', detail = ''] = line.split('\t')
      return [name, /** @type {Outcome} */ ({ kind, detail })]
    }),
  )
}

/**
 * Writes the outcomes in the order of the names. Outcomes without a name are dropped.
 *
 * @param {Map<string, Outcome>} outcomes
 * @param {string[]} names
 */
export function writeRecord(outcomes, names) {
  const rows = names.flatMap((name) => {
    const outcome = outcomes.get(name)
    return outcome ? [[name, outcome.kind, outcome.detail]] : []
  })
  const lines = [['mutant', 'outcome', 'failed test, or reason'], ...rows].map((cells) => cells.join('\t'))
  writeFileSync(recordFile, `${lines.join('\n')}\n`)
}

/**
 * Returns the test that has failed according to an outcome; undefined unless the mutant died.
 *
 * @param {Outcome | undefined} outcome
 */
export function knownTest(outcome) {
  if (outcome?.kind !== 'died') return undefined
  const [file = '', ...names] = outcome.detail.split(' > ')
  return { file, ...(names.length > 0 && { title: names.join(' > ') }) }
}

/** Reads hashes by name of mutant: each of the texts with which the recorded outcome was found. */
export function readProgress() {
  /** @type {[string, string][]} */
  const entries = existsSync(progressFile) ? JSON.parse(readFileSync(progressFile, 'utf8')) : []
  return new Map(entries)
}

/** @param {Map<string, string>} progress */
export function writeProgress(progress) {
  mkdirSync(dirname(progressFile), { recursive: true })
  writeFileSync(progressFile, JSON.stringify([...progress]))
}

/** @param {string[]} texts */
export function hashOf(...texts) {
  return createHash('sha256').update(JSON.stringify(texts)).digest('base64url')
}
