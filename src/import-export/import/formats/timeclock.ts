import {
  type ImportFormat,
  InvalidValueError,
  invalidRow,
  type SourceEntry,
  type SourceRow,
  sourceEntry,
} from '../format.js'
import { requireFormat } from '../source/sample.js'
import { lineBatches } from '../source/text-source.js'
import { parseDate } from '../values/dates.js'
import { parseTimeOfDay, wallTime } from '../values/entry-times.js'
import { resolveTimes, type SourceTime } from '../values/local-times.js'

const lineExpectation = 'a line such as i 2024-05-01 09:30:00 client:project:task  description'

/** A code, a date, a time with an optional offset, which hledger ignores, and a text. */
const entryLine =
  /^([iIoObh]) +(\d{4}[-/.]\d{1,2}[-/.]\d{1,2})(?: +(\d{1,2}:\d\d(?::\d\d)?)(?:\s?[+-]\d{4})?)?(?:\s(.*))?$/s

/**
 * timeclock of Emacs, Ledger and hledger: lines that clock in (`i`) and out (`o`), in local time. Several sessions can be
 * open: `o` with an account ends that one, otherwise the last one.
 */
export const timeclock: ImportFormat = {
  name: 'timeclock',
  detect({ lines }) {
    const first = lines.find((line) => line.trim() !== '' && !isComment(line))
    return first !== undefined && /^[iIoObh] +\d{4}[-/.]\d{1,2}[-/.]/.test(first)
  },
  async *read(source) {
    await requireFormat(source, timeclock)
    const sessions = new Sessions()
    for await (const { first, lines } of lineBatches(source)) {
      for (const [index, line] of lines.entries()) {
        if (line.trim() === '' || isComment(line)) continue
        try {
          const row = sessions.read(line, first + index)
          if (row) yield row
        } catch (error) {
          yield invalidRow(error, first + index)
        }
      }
    }
    yield* sessions.open()
  },
}

/** Comments of hledger begin with one of these characters; org-mode headings with an asterisk. */
function isComment(line: string): boolean {
  return /^\s*[;#*%|]/.test(line)
}

/** A time as written, with its line. */
interface Clocked {
  line: number
  text: string
  time: SourceTime
}

interface Session {
  start: Clocked
  account: string
  notes: string
}

class Sessions {
  #open: Session[] = []

  /** Returns the entry that the line completes. Throws InvalidValueError. */
  read(line: string, number: number): SourceRow | undefined {
    const [, code = '', date = '', time, text = ''] = entryLine.exec(line) ?? []
    if (code === '') throw new InvalidValueError(line, lineExpectation)
    // The time debt and the hours of a day are no sessions.
    if (code === 'b' || code === 'h')
      return { kind: 'skipped', line: number, reason: 'balances and working hours' }
    const day = parseDate(date, undefined)
    const clock = parseTimeOfDay(time ?? '')
    if (day === undefined) throw new InvalidValueError(date, 'a date such as 2024-05-01', null, 3)
    if (!clock) {
      const column = line.indexOf(date) + date.length + 2
      throw new InvalidValueError(time ?? '', 'a time of day such as 09:30:00', null, column)
    }
    const at = { line: number, text: `${date} ${time}`, time: wallTime(day, clock) }
    const { account, description } = splitText(text)
    if (code.toLowerCase() === 'i') {
      this.#open.push({ start: at, account, notes: description })
      return undefined
    }
    return this.#clockOut(at, account, description, line)
  }

  /** Returns the sessions that are not clocked out. */
  open(): SourceRow[] {
    return this.#open.map((session) => rowOf(session, null))
  }

  #clockOut(end: Clocked, account: string, description: string, line: string): SourceRow {
    const named = this.#open.findLastIndex((session) => session.account === account && account !== '')
    const index = named >= 0 ? named : this.#open.length - 1
    const [session] = index < 0 ? [] : this.#open.splice(index, 1)
    if (!session) throw new InvalidValueError(line, 'a line that clocks in (i) before one that clocks out')
    // timeclock.el allows a comment about the session where it ends.
    const comment = named >= 0 ? description : [account, description].filter(Boolean).join('  ')
    return rowOf({ ...session, notes: [session.notes, comment].filter(Boolean).join(' ') }, end)
  }
}

/** Splits the text after the time: the account ends before two spaces or a tab. */
function splitText(text: string): { account: string; description: string } {
  const [, account = '', rest = ''] = /^\s*(.*?)(?:(?:\s{2,}|\t)(.*))?$/s.exec(text) ?? []
  return { account: account.trim(), description: rest.trim() }
}

function rowOf({ start, account, notes }: Session, end: Clocked | null): SourceRow {
  const resolved = resolveTimes(start.time, end?.time, undefined)
  if (!('part' in resolved)) return sourceEntry({ line: start.line, ...resolved, ...namesOf(account), notes })
  const { line, text } = resolved.part === 'end' && end ? end : start
  return invalidRow(new InvalidValueError(text, resolved.expectation), line, 3)
}

/** Returns the names in an account: `project`, `project:task`, or `client:project:task`, whose task may contain colons. */
function namesOf(account: string): Pick<Partial<SourceEntry>, 'client' | 'project' | 'task'> {
  const [first = '', second = '', ...rest] = account.split(':').map((name) => name.trim())
  if (rest.length > 0) return { client: first, project: second, task: rest.join(':') }
  return { project: first, task: second }
}
