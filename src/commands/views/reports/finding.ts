import { shortWeekdayName } from '../../../calendar/calendar-names.js'
import { dayOf } from '../../../calendar/day.js'
import { formatDuration } from '../../../calendar/duration.js'
import { formatDateTime, formatTime, toRfc3339 } from '../../../calendar/time.js'
import { type Finding, type FindingKind, findingKinds } from '../../../report/health/finding.js'
import type { Style, View } from '../../../ui/view.js'
import { type FixCommands, fixCommands } from '../../shared/fix-command.js'

/** A finding with its row number and the commands that resolve it. */
export interface NumberedFinding extends Omit<Finding, 'fixes' | 'alternative'>, FixCommands {
  n: number
}

export function numberFindings(findings: readonly Finding[]): NumberedFinding[] {
  return findings.map(({ fixes, alternative, ...finding }, index) => ({
    n: index + 1,
    ...finding,
    ...fixCommands({ fixes, ...(alternative === undefined ? {} : { alternative }) }),
  }))
}

/** Findings by day. On a terminal the commands follow below the table, where a command can be copied whole. */
export const findingView: View<NumberedFinding> = {
  columns: [
    { key: 'n', title: 'N', align: 'right' },
    { key: 'kind', title: 'Kind', text: ({ kind }, style) => style.yellow(kind.replace('_', ' ')) },
    {
      key: 'from',
      title: 'From',
      text: ({ from }, _, grouped) => (grouped ? formatTime(from) : formatDateTime(from)),
    },
    { key: 'to', title: 'To', text: ({ from, to }) => formatTime(to, from) },
    { key: 'seconds', title: 'Duration', align: 'right', text: ({ seconds }) => formatDuration(seconds) },
    { key: 'entries', title: 'Entries', text: ({ entries }) => entries.join(', ') },
    { key: 'what', title: 'Details' },
    { key: 'mend', title: 'Fix', isHiddenOnTerminal: true },
    { key: 'alternative', title: 'Or', isHiddenOnTerminal: true },
  ],
  json: (finding) => ({ ...finding, from: toRfc3339(finding.from), to: toRfc3339(finding.to) }),
  optional: ['alternative'],
  group: ({ from }, style) => style.bold(`${shortWeekdayName(from.getDay())} ${dayOf(from)}`),
  footer: (findings, style) => `${countsText(findings)}\n\n${commandsText(findings, style)}`,
  empty: 'No findings.',
}

/** Singular and plural. */
const kindNames: Record<FindingKind, [string, string]> = {
  gap: ['gap', 'gaps'],
  overlap: ['overlap', 'overlaps'],
  long: ['long entry', 'long entries'],
  no_notes: ['entry without notes', 'entries without notes'],
}

/** "2 gaps, 1h 30m; 1 overlap, 30m" */
function countsText(findings: readonly NumberedFinding[]): string {
  return findingKinds
    .map((kind) => ({ kind, of: findings.filter((finding) => finding.kind === kind) }))
    .filter(({ of }) => of.length > 0)
    .map(({ kind, of }) => {
      const total = of.reduce((sum, { seconds }) => sum + seconds, 0)
      return `${of.length} ${kindNames[kind][of.length === 1 ? 0 : 1]}, ${formatDuration(total)}`
    })
    .join('; ')
}

function commandsText(findings: readonly NumberedFinding[], style: Style): string {
  const width = String(findings.at(-1)?.n ?? '').length
  const lines = findings.flatMap(({ n, mend, alternative }) => [
    `${String(n).padStart(width)}  ${mend}`,
    ...(alternative === undefined ? [] : [`${' '.repeat(width)}  ${style.dim('or:')} ${alternative}`]),
  ])
  return [style.dim('To fix them:'), ...lines].join('\n')
}
