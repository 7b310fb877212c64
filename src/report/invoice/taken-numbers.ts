import { readConfigFile } from '../../config/config-file.js'
import { TtError } from '../../lib/errors.js'
import { isObject } from '../../lib/is-object.js'
import { withLock } from '../../lib/lock.js'
import { writePrivateFile } from '../../lib/private-file.js'
import type { TakenNumber } from './numbers.js'

/** A number in the file of the machine. */
export interface RecordedNumber extends TakenNumber {
  /** The key of the state of its profile. */
  profile: string
  /** The ID of its invoice. */
  invoice: string
  /** RFC 3339. */
  taken_at: string
  /** Whether the process that took it has not confirmed yet that the profile has its invoice. */
  reserved?: true
}

export type NumberFile = Record<string, RecordedNumber>

/** Upper bound for the size of the file: about 40,000 numbers. */
const limitBytes = 8 * 1024 * 1024

export interface TakenNumbersParts {
  /** The file with the numbers of all profiles. */
  path: string
  lockPath: string
  /** Whether a profile has the invoice with an ID; undefined if that cannot be known. */
  hasInvoice(profile: string, invoice: string): Promise<boolean | undefined>
}

/**
 * The numbers of invoices that were taken on this machine, in all profiles. They only ever become more.
 *
 * A number and its invoice are in two files, so that no profile and no restore can take a number back. The number is
 * reserved before the transaction with the invoice, and confirmed after it. If the process ends between the two, the next
 * one confirms the number where the profile has the invoice, and otherwise frees it: no document has had it.
 */
export class TakenNumbers {
  readonly #parts: TakenNumbersParts

  constructor(parts: TakenNumbersParts) {
    this.#parts = parts
  }

  /** Returns the numbers that are taken. */
  read(): Promise<ReadonlyMap<string, TakenNumber>> {
    return withLock(this.#parts.lockPath, async () => new Map(Object.entries(await this.#settled())))
  }

  /**
   * Takes the number that `choose` returns, and runs `store`, which stores its invoice in one transaction. Until it is
   * stored, no other process takes a number. Returns undefined, and takes none, if `choose` does.
   */
  async take<Choice extends Omit<RecordedNumber, 'reserved'> & { number: string }>(
    choose: (taken: ReadonlyMap<string, TakenNumber>) => Choice | undefined,
    store: (choice: Choice) => Promise<void>,
  ): Promise<Choice | undefined> {
    return withLock(this.#parts.lockPath, async () => {
      const numbers = await this.#settled()
      const choice = choose(new Map(Object.entries(numbers)))
      if (!choice) return undefined
      const { number, series, count, profile, invoice, taken_at } = choice
      const taken: RecordedNumber = { series, count, profile, invoice, taken_at }
      this.#write({ ...numbers, [number]: { ...taken, reserved: true } })
      await store(choice)
      try {
        this.#write({ ...numbers, [number]: taken })
      } catch (error) {
        // The invoice is stored; the next command that takes a number confirms this one.
        if (!(error instanceof TtError)) throw error
      }
      return choice
    })
  }

  /** Returns the numbers without reserved ones whose process ended before it stored the invoice. */
  async #settled(): Promise<NumberFile> {
    const numbers = readNumberFile(this.#parts.path)
    const settled: [string, RecordedNumber][] = []
    for (const [number, { reserved, ...taken }] of Object.entries(numbers)) {
      const isFree = reserved && (await this.#parts.hasInvoice(taken.profile, taken.invoice)) === false
      if (!isFree) settled.push([number, taken])
    }
    return Object.fromEntries(settled)
  }

  #write(numbers: NumberFile) {
    writePrivateFile(this.#parts.path, formatNumberFile(numbers))
  }
}

/** Returns the content of the file with the numbers. Throws TtError `failure` for a file that cannot be read. */
export function readNumberFile(path: string): NumberFile {
  try {
    const file = readConfigFile(path, { limitBytes })
    return file ? checkNumberFile(JSON.parse(file.text)) : {}
  } catch (cause) {
    throw new TtError('failure', `The invoice numbers in ${path} cannot be read.`, {
      hint: 'Restore the file from a backup: without it, numbers could be used twice. Nothing was changed.',
      cause,
    })
  }
}

/** Returns the numbers in the JSON of the file. Throws for another content. */
export function checkNumberFile(content: unknown): NumberFile {
  const numbers = isObject(content) ? content.numbers : undefined
  const isValid = isObject(numbers) && Object.values(numbers).every(isRecordedNumber)
  if (!isValid) throw new Error('The file has another content.')
  return numbers as NumberFile
}

/** Returns the text of the file, with one number on each line. */
export function formatNumberFile(numbers: NumberFile): string {
  const lines = Object.entries(numbers).map(
    ([number, recorded]) => `${JSON.stringify(number)}: ${JSON.stringify(recorded)}`,
  )
  return `{"numbers": {\n${lines.join(',\n')}\n}}\n`
}

function isRecordedNumber(value: unknown): boolean {
  if (!isObject(value)) return false
  const { series, count, profile, invoice } = value
  const isInSeries = typeof series === 'string' && Number.isSafeInteger(count)
  return (
    typeof profile === 'string' &&
    typeof invoice === 'string' &&
    (isInSeries || (series === null && count === null))
  )
}

/** Returns the numbers of both files; for a number in both, that of the first. */
export function mergeNumbers(first: NumberFile, second: NumberFile): NumberFile {
  return { ...second, ...first }
}
