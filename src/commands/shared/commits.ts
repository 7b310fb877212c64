import type { Context } from '../../cli/context.js'
import { shortWeekdayName } from '../../lib/calendar/calendar-names.js'
import { dayOf, weekday } from '../../lib/calendar/day.js'
import type { Interval, TimeRange } from '../../lib/calendar/interval.js'
import { formatDateTime } from '../../lib/calendar/time.js'
import { TtError } from '../../lib/errors.js'
import type { Commit } from '../../lib/git/commits.js'
import { countText } from '../../lib/text/words.js'

/** The most commits that a message lists. */
const maxListed = 10

/** Returns the user's commits of a period in the repository of the working directory. Throws TtError like `readCommits`. */
export async function commitsIn(
  ctx: Pick<Context, 'host' | 'terminal'>,
  range: TimeRange,
): Promise<Commit[]> {
  const directory = ctx.host.cwd()
  if (directory === undefined) {
    throw new TtError(
      'failure',
      'The working directory does not exist any more, so it has no git repository.',
      {
        hint: 'Change to the directory of a repository, or omit --git.',
      },
    )
  }
  const { readCommits } = await import('../../lib/git/commits.js')
  return readCommits(range, { directory, env: ctx.host.env })
}

/**
 * Returns the commits in each interval, and those in none. A commit in the last second of an interval is in it unless it is
 * in another one: it was written just before the timer stopped.
 *
 * @param commits in the order of their times, which are whole seconds
 */
export function assignCommits(
  commits: readonly Commit[],
  intervals: readonly Interval[],
): { inEach: Commit[][]; outside: Commit[] } {
  const inEach: Commit[][] = intervals.map(() => [])
  const outside: Commit[] = []
  const waiting = intervals
    .map(({ start, end }, index) => ({
      index,
      start: secondOf(start),
      end: secondOf(end),
      endMs: end.getTime(),
    }))
    .sort((a, b) => b.start - a.start)
  let active: typeof waiting = []
  for (const commit of commits) {
    const time = secondOf(commit.time)
    for (let next = waiting.at(-1); next && next.start <= time; next = waiting.at(-1)) {
      active.push(next)
      waiting.pop()
    }
    active = active.filter(({ end }) => end >= time)
    const within = active.filter(({ endMs }) => commit.time.getTime() < endMs)
    for (const { index } of within.length > 0 ? within : active) inEach[index]?.push(commit)
    if (active.length === 0) outside.push(commit)
  }
  return { inEach, outside }
}

/** Returns the whole seconds since 1970, because commits have no parts of a second. */
function secondOf(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

/** "1a2b3c4 Fix the header" */
export function commitText({ hash, subject }: Commit): string {
  return `${hash.slice(0, 7)} ${subject}`.trim()
}

/** Returns a message with commits, one a line: "2 commits are in no entry:" and their times and subjects. */
export function commitsMessage(commits: readonly Commit[], where: string): string {
  const lines = commits.slice(0, maxListed).map((commit) => {
    const day = shortWeekdayName(weekday(dayOf(commit.time)))
    return `  ${day} ${formatDateTime(commit.time)}  ${commitText(commit)}`
  })
  const omitted = commits.length - lines.length
  const verb = commits.length === 1 ? 'is' : 'are'
  return [
    `${countText(commits.length, 'commit')} ${verb} ${where}:`,
    ...lines,
    ...(omitted > 0 ? [`  and ${omitted.toLocaleString('en')} more`] : []),
  ].join('\n')
}
