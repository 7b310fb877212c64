import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Context } from '../cli/context.js'
import { TtError } from '../lib/errors.js'
import type { FindingKind } from '../report/health/finding.js'
import type { Report } from '../report/model.js'
import { type TextChunks, terminalLines } from '../ui/text.js'
import { ReportQuery, type ReportQueryOptions } from './report/report-query.js'
import { warnOfUnknownNames } from './shared/unknown-names.js'
import { findingView, type NumberedFinding, numberFindings } from './views/finding.js'
import { reportSummary } from './views/report.js'

const formats = ['json', 'ndjson', 'csv', 'markdown', 'fields'] as const

export interface ReportOptions
  extends ReportQueryOptions,
    Partial<Record<(typeof formats)[number], unknown>> {
  chart?: string | true
  html?: string
  gaps?: boolean
  overlaps?: boolean
  long?: boolean
  withoutNotes?: boolean
}

/** Sums, what is to be mended, or text as it is; nothing where a file was written. */
type Answer = Sums | NumberedFinding[] | Text | undefined

interface Sums {
  report: Report
  /** The rounded figures were asked for. */
  rounds: boolean
}

interface Text {
  pieces: TextChunks
}

export const usesDefaultSettings = true
export const view = findingView

export function summary(_: Context, value: Answer) {
  return value && 'report' in value ? reportSummary(value.report, value.rounds) : undefined
}

export function text(value: Answer) {
  return value && 'pieces' in value ? value.pieces : undefined
}

export async function run(ctx: Context, options: ReportOptions): Promise<Answer> {
  const { chart, html } = options
  const kinds = kindsOf(options)
  refuseImpossible(options, kinds)
  const survey = await ReportQuery.of(ctx, options)
  if (kinds.length > 0) return health(ctx, survey, kinds)
  if (html !== undefined) return page(ctx, survey, html)
  if (chart !== undefined) return picture(ctx, survey, chart)
  const tally = survey.tally()
  for await (const entries of survey.batches()) for (const entry of entries) tally.add(entry)
  const report = survey.report(tally)
  if (report.count === 0) await warnOfUnknownNames(ctx, options)
  return { report, rounds: survey.rounding !== undefined }
}

async function health(ctx: Context, survey: ReportQuery, kinds: FindingKind[]): Promise<NumberedFinding[]> {
  const filter = survey.firstFilter
  if (filter !== undefined && kinds.includes('gap')) {
    const option = filter === 'notBillable' ? '--not-billable' : `--${filter}`
    throw new TtError('usage', `--gaps cannot be looked for with ${option}: the other entries fill them.`, {
      hint: `Leave ${option} away, or --gaps.`,
    })
  }
  const { findings } = await import('../report/health/findings.js')
  const { period, settings, work } = survey
  return numberFindings(await findings(survey.batches(), { kinds, period, settings, work, now: ctx.now }))
}

async function picture(ctx: Context, survey: ReportQuery, chart: string | true): Promise<Text> {
  const { chartKind, chartText } = await import('./report/charts.js')
  return { pieces: [await chartText(ctx, survey, chartKind(chart))] }
}

/** Writes the page into the file, or answers it for `-`. */
async function page(ctx: Context, survey: ReportQuery, file: string): Promise<Text | undefined> {
  const pictures = await import('./report/charts.js')
  const pieces = pictures.reportPageText(ctx, survey)
  if (file === '-') return { pieces }
  const path = resolve(ctx.host.cwd() ?? '.', file)
  try {
    await writeFile(path, pieces)
  } catch (cause) {
    if (cause instanceof TtError) throw cause
    throw new TtError('failure', `The report cannot be written to ${path} (${reasonOf(cause)}).`, {
      hint: 'Name another file, or - for standard output.',
      cause,
    })
  }
  ctx.message(`Wrote the report to ${await ctx.linked(path)}.`, terminalLines)
  return undefined
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
}

function kindsOf({ gaps, overlaps, long, withoutNotes }: ReportOptions): FindingKind[] {
  const asked: Record<FindingKind, boolean | undefined> = {
    gap: gaps,
    overlap: overlaps,
    long,
    no_notes: withoutNotes,
  }
  return (Object.keys(asked) as FindingKind[]).filter((kind) => asked[kind])
}

function refuseImpossible(options: ReportOptions, kinds: readonly FindingKind[]) {
  const shapes = [
    kinds.length > 0 && 'what is to be mended',
    options.chart !== undefined && '--chart',
    options.html !== undefined && '--html',
  ].filter((shape) => shape !== false)
  const [first, second] = shapes
  if (second !== undefined) {
    throw new TtError('usage', `A report is either ${first} or ${second}.`, {
      hint: 'Ask for one at a time.',
    })
  }
  const format = formats.find((name) => options[name])
  if (format === undefined || kinds.length > 0 || first === undefined) return
  throw new TtError('usage', `${first} and --${format} exclude each other.`, { hint: 'Give one of them.' })
}
