import type { Interval } from '../../lib/calendar/interval.js'
import { minuteMs } from '../../lib/time-units.js'

/** What a proposal needs of a commit. */
export interface TimedCommit {
  hash: string
  time: Date
  subject: string
}

/** An entry in a gap, for the work that led to some commits. */
export interface Proposal<Commit extends TimedCommit> extends Interval {
  commits: Commit[]
  notes: string
}

/** How long the work before a commit is assumed to have taken, at most. */
const maxLeadMs = 60 * minuteMs
/** The longest notes, in characters; the other commits are counted. */
const maxNotesLength = 200

/**
 * Returns entries for the commits in a gap. The work for a commit began at the commit before it or at the start of the gap,
 * but at most an hour before the commit. Parts that touch are one entry. Times are whole minutes where the gap allows; the
 * entries never overlap, never leave the gap, and take at least a minute.
 *
 * @param commits in the order of their times
 */
export function proposeEntries<Commit extends TimedCommit>(
  gap: Interval,
  commits: readonly Commit[],
): Proposal<Commit>[] {
  const [gapStart, gapEnd] = [gap.start.getTime(), gap.end.getTime()]
  const blocks: { from: number; to: number; commits: Commit[] }[] = []
  for (const commit of commits) {
    const time = commit.time.getTime()
    if (time < gapStart || time > gapEnd) continue
    const from = Math.max(gapStart, Math.ceil((time - maxLeadMs) / minuteMs) * minuteMs)
    const to = Math.min(gapEnd, Math.max(gapStart + minuteMs, Math.ceil(time / minuteMs) * minuteMs))
    const last = blocks.at(-1)
    if (last && from <= last.to) {
      last.to = Math.max(last.to, to)
      last.commits.push(commit)
    } else blocks.push({ from, to, commits: [commit] })
  }
  return blocks.map(({ from, to, commits }) => ({
    ...{ start: new Date(from), end: new Date(to), commits },
    notes: notesOf(commits),
  }))
}

/** Returns the subjects, each once, as notes. */
function notesOf(commits: readonly TimedCommit[]): string {
  const subjects = [...new Set(commits.map(({ subject }) => subject.trim()).filter(Boolean))]
  let notes = ''
  for (const [index, subject] of subjects.entries()) {
    const next = notes === '' ? subject : `${notes}; ${subject}`
    if (notes !== '' && next.length > maxNotesLength) return `${notes}; ${subjects.length - index} more`
    notes = next
  }
  return notes.length > maxNotesLength ? `${notes.slice(0, maxNotesLength - 1)}…` : notes
}
