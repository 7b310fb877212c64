import { fixCommands } from '../../cli/fix-command.js'
import type { Interval, TimeRange } from '../../lib/calendar/interval.js'
import type { Commit } from '../../lib/git/commits.js'
import { countText } from '../../lib/text/words.js'
import { proposeEntries } from '../../report/health/commit-proposals.js'
import type { Entry } from '../../tracking/entries/entry.js'
import type { ReportContext } from '../report/report-query.js'
import type { EntryProposal, NumberedFinding } from '../views/reports/finding.js'
import { assignCommits, commitsIn, commitsMessage } from './commits.js'

/**
 * Adds entries that the user's commits suggest to the gaps that `find` returns, and lists the commits that are in neither an
 * entry nor a gap.
 *
 * @param batches the entries of the report
 */
export async function withProposals(
  ctx: ReportContext,
  period: TimeRange,
  batches: AsyncIterable<Entry[]>,
  find: (batches: AsyncIterable<Entry[]>) => Promise<NumberedFinding[]>,
): Promise<NumberedFinding[]> {
  const commits = await commitsIn(ctx, period)
  const tracked: Interval[] = []
  const found = await find(collect(batches, tracked, ctx.now))
  const gaps = found.filter(({ kind }) => kind === 'gap')
  const { outside } = assignCommits(commits, tracked)
  const { inEach, outside: elsewhere } = assignCommits(
    outside,
    gaps.map(({ from, to }) => ({ start: from, end: to })),
  )
  if (elsewhere.length > 0) {
    const where = 'in neither an entry nor a gap in working hours'
    ctx.afterOutput.run(async () => ctx.terminal.message(commitsMessage(elsewhere, where)))
  }
  const task = inEach.flat().length > 0 ? ctx.config.fromDirectory('task')?.task : undefined
  const proposals = new Map(gaps.map((gap, index) => [gap, proposalsFor(gap, inEach[index] ?? [], task)]))
  return found.map((finding) => {
    const proposed = proposals.get(finding)
    if (!proposed) return finding
    const count = proposed.flatMap(({ commits }) => commits).length
    const what = count === 0 ? finding.what : `${finding.what}, ${countText(count, 'commit')}`
    return { ...finding, what, proposals: proposed }
  })
}

/** Yields the batches, and adds their times to `tracked`. */
async function* collect(
  batches: AsyncIterable<Entry[]>,
  tracked: Interval[],
  now: Date,
): AsyncGenerator<Entry[]> {
  for await (const entries of batches) {
    for (const { start, end } of entries) tracked.push({ start, end: end ?? now })
    yield entries
  }
}

/** @param task that of the directory file */
function proposalsFor(
  { from, to }: NumberedFinding,
  commits: readonly Commit[],
  task: string | undefined,
): EntryProposal[] {
  return proposeEntries({ start: from, end: to }, commits).map(({ start, end, commits, notes }) => {
    const fix = { action: 'add' as const, from: start, to: end, ...(notes === '' ? {} : { notes }) }
    const fixes = [task === undefined ? fix : { ...fix, linkId: task }]
    return { start, end, commits, command: fixCommands({ fixes }).mend }
  })
}
