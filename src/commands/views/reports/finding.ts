import { type FixCommands, fixCommands, fixStep } from '../../../cli/fix-command.js'
import { shortWeekdayName } from '../../../lib/calendar/calendar-names.js'
import { dayOf } from '../../../lib/calendar/day.js'
import type { DurationDisplay } from '../../../lib/calendar/duration-display.js'
import { durationSeconds, type Interval } from '../../../lib/calendar/interval.js'
import { formatDateTime, formatTime, toRfc3339 } from '../../../lib/calendar/time.js'
import type { Commit } from '../../../lib/git/commits.js'
import { type FindingKind, findingKinds } from '../../../records/report-names.js'
import type { FindingJson } from '../../../records/shapes/reports.js'
import type { Finding } from '../../../report/health/findings.js'
import type { Column, Style, View } from '../../../ui/view.js'
import { commitJson } from '../commits.js'

/** A finding with its row number and the commands that resolve it. */
export interface NumberedFinding extends Omit<Finding, 'fixes' | 'alternative'>, FixCommands {
  n: number
  /** Entries for the commits in a gap; only with `--git`. */
  proposals?: EntryProposal[]
}

/** An entry in a gap, from the times of commits. */
export interface EntryProposal extends Interval {
  /** A command line for a POSIX shell that adds it. The user replaces TASK, unless the directory file names the task. */
  command: string
  commits: Commit[]
}

export function numberFindings(findings: readonly Finding[], durations: DurationDisplay): NumberedFinding[] {
  return findings.map(({ fixes, alternative, ...finding }, index) => ({
    n: index + 1,
    ...finding,
    ...fixCommands(fixStep({ fixes, ...(alternative === undefined ? {} : { alternative }) }, durations)),
  }))
}

/**
 * Returns the view of findings by day. Their durations add up to the displayed total of their kind. On a terminal the
 * commands of each finding follow below its row, where a command can be copied whole.
 */
export function findingView(
  findings: readonly NumberedFinding[],
  durations: DurationDisplay,
): View<NumberedFinding> {
  const kinds = kindTotals(findings, durations)
  const displayed = new Map(kinds.flatMap(({ parts }) => parts))
  return {
    columns: columns(({ n, seconds }) => durations.format(displayed.get(n) ?? seconds)),
    json: ({ from, to, proposals, ...finding }): FindingJson => ({
      ...finding,
      from: toRfc3339(from),
      to: toRfc3339(to),
      ...(proposals ? { proposals: proposals.map(proposalJson) } : {}),
    }),
    optional: ['alternative', 'proposals'],
    group: ({ from }, style) => style.bold(`${shortWeekdayName(from.getDay())} ${dayOf(from)}`),
    below: commandLines,
    footer: () => kinds.map((kind) => countText(kind, durations)).join('\n'),
    empty: 'Nothing to correct.',
  }
}

function proposalJson({ start, end, command, commits }: EntryProposal) {
  const seconds = durationSeconds({ start, end })
  return { from: toRfc3339(start), to: toRfc3339(end), seconds, command, commits: commits.map(commitJson) }
}

const columns = (durationText: (finding: NumberedFinding) => string): Column<NumberedFinding>[] => [
  { key: 'n', title: 'N', align: 'right' },
  { key: 'kind', title: 'Kind', text: ({ kind }, style) => style.yellow(kind.replace('_', ' ')) },
  {
    key: 'from',
    title: 'From',
    text: ({ from }, _, grouped) => (grouped ? formatTime(from) : formatDateTime(from)),
  },
  { key: 'to', title: 'To', isMinor: true, text: ({ from, to }) => formatTime(to, from) },
  { key: 'seconds', title: 'Duration', align: 'right', isMinor: true, text: durationText },
  { key: 'entries', title: 'Entries', text: ({ entries }) => entries.join(', ') },
  { key: 'what', title: 'Details', canWrap: true },
  { key: 'mend', title: 'Fix', isHiddenOnTerminal: true },
  { key: 'alternative', title: 'Or', isHiddenOnTerminal: true },
]

/** Singular and plural. */
const kindNames: Record<FindingKind, [string, string]> = {
  gap: ['gap', 'gaps'],
  overlap: ['overlap', 'overlaps'],
  long: ['long entry', 'long entries'],
  no_notes: ['entry without notes', 'entries without notes'],
}

/** The findings of a kind: their displayed total, and the displayed duration of each by its row number, in seconds. */
interface KindTotal {
  kind: FindingKind
  seconds: number
  parts: [n: number, seconds: number][]
}

function kindTotals(findings: readonly NumberedFinding[], durations: DurationDisplay): KindTotal[] {
  return findingKinds.flatMap((kind) => {
    const found = findings.filter((finding) => finding.kind === kind)
    if (found.length === 0) return []
    const parts = durations.parts(found.map(({ seconds }) => seconds))
    return {
      kind,
      seconds: parts.reduce((sum, seconds) => sum + seconds, 0),
      parts: found.map(({ n }, index): [number, number] => [n, parts[index] ?? 0]),
    }
  })
}

/** "2 gaps, 1h 30m" */
function countText({ kind, seconds, parts }: KindTotal, durations: DurationDisplay): string {
  return `${parts.length} ${kindNames[kind][parts.length === 1 ? 0 : 1]}, ${durations.format(seconds)}`
}

function commandLines({ mend, alternative, proposals = [] }: NumberedFinding, style: Style): string[] {
  return [
    mend,
    ...(alternative === undefined ? [] : [`${style.dim('or:')} ${alternative}`]),
    ...proposals.map(({ command }) => `${style.dim('from commits:')} ${command}`),
  ]
}
