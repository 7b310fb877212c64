import { dayOf } from '../../calendar/day.js'
import { formatDuration } from '../../calendar/duration.js'
import { shortWeekdayName } from '../../calendar/names.js'
import { formatDateTime, formatTime, toRfc3339 } from '../../calendar/time.js'
import { type Finding, type FindingKind, findingKinds } from '../../report/health/finding.js'
import type { Style, View } from '../../ui/view.js'

/** A finding, with the number of its row and of its command. */
export interface NumberedFinding extends Finding {
  n: number
}

export function numberFindings(findings: readonly Finding[]): NumberedFinding[] {
  return findings.map((finding, index) => ({ n: index + 1, ...finding }))
}

/** Findings by day; on a terminal the commands stand under the table, where each can be copied whole. */
export const findingView: View<NumberedFinding> = {
  columns: [
    { key: 'n', title: 'N', align: 'right' },
    { key: 'kind', title: 'Kind', text: ({ kind }, ink) => ink.yellow(kind.replace('_', ' ')) },
    {
      key: 'from',
      title: 'From',
      text: ({ from }, _, grouped) => (grouped ? formatTime(from) : formatDateTime(from)),
    },
    { key: 'to', title: 'To', text: ({ from, to }) => formatTime(to, from) },
    { key: 'seconds', title: 'Duration', align: 'right', text: ({ seconds }) => formatDuration(seconds) },
    { key: 'entries', title: 'Entries', text: ({ entries }) => entries.join(', ') },
    { key: 'what', title: 'What' },
    { key: 'mend', title: 'Mend', isHiddenOnTerminal: true },
    { key: 'alternative', title: 'Or', isHiddenOnTerminal: true },
  ],
  json: (finding) => ({ ...finding, from: toRfc3339(finding.from), to: toRfc3339(finding.to) }),
  optional: ['alternative'],
  group: ({ from }, ink) => ink.bold(`${shortWeekdayName(from.getDay())} ${dayOf(from)}`),
  footer: (findings, ink) => `${countsText(findings)}\n\n${commandsText(findings, ink)}`,
  empty: 'No findings.',
}

/** One of them, and several. */
const kindNames: Record<FindingKind, [string, string]> = {
  gap: ['gap', 'gaps'],
  overlap: ['overlap', 'overlaps'],
  long: ['long entry', 'long entries'],
  no_notes: ['entry without notes', 'entries without notes'],
}

/** "2 gaps, 1h 30m; 1 overlap, 30m" */
function countsText(findings: readonly Finding[]): string {
  return findingKinds
    .map((kind) => ({ kind, of: findings.filter((finding) => finding.kind === kind) }))
    .filter(({ of }) => of.length > 0)
    .map(({ kind, of }) => {
      const total = of.reduce((sum, { seconds }) => sum + seconds, 0)
      return `${of.length} ${kindNames[kind][of.length === 1 ? 0 : 1]}, ${formatDuration(total)}`
    })
    .join('; ')
}

function commandsText(findings: readonly NumberedFinding[], ink: Style): string {
  const width = String(findings.at(-1)?.n ?? '').length
  const lines = findings.flatMap(({ n, mend, alternative }) => [
    `${String(n).padStart(width)}  ${mend}`,
    ...(alternative === undefined ? [] : [`${' '.repeat(width)}  ${ink.dim('or:')} ${alternative}`]),
  ])
  return [ink.dim('To fix them:'), ...lines].join('\n')
}
