import { z } from 'zod'
import { expenseDimensions, teamDimensions } from '../report/dimensions.js'
import { findingKinds } from '../report/health/finding.js'
import { commit } from './entries.js'
import { count, day, flag, id, money, seconds, secondsDifference, text, time } from './values.js'

const totalKeys = {
  seconds: seconds.describe('Exact, whole seconds.'),
  rounded_seconds: seconds.describe('Rounded seconds; the same as `seconds` without rounding.'),
  count: count.describe('The number of entries.'),
  running: flag.describe('Whether an entry is running; it counts up to now.'),
  amounts: z.array(money).describe('The amounts of the billable time by currency; empty without rates.'),
  billable_seconds: seconds,
  billable_rounded_seconds: seconds,
  non_billable_seconds: seconds,
  non_billable_rounded_seconds: seconds,
}
const totals = z.object(totalKeys).meta({ id: 'Totals' })
export type TotalsJson = z.infer<typeof totals>

const periodKeys = {
  since: day.nullable().describe('The first day; null for a period without a start.'),
  until: day.nullable().describe('The last day; null for a period without an end.'),
}

const share = z.number().describe('The share of the total seconds, from 0 to 1.')
const groupKeys = {
  by: z.enum(teamDimensions),
  key: text
    .nullable()
    .describe(
      'The name, null where there is none; a day or the first day of a week, 2024-05, 2024-Q2, 2024, Monday.',
    ),
  id: id.nullable().describe('Of a client, project or task.'),
  ...totalKeys,
  share,
}
export type GroupJson = z.infer<z.ZodObject<typeof groupKeys>> & { groups: GroupJson[] }
const group: z.ZodType<GroupJson> = z.object({
  ...groupKeys,
  groups: z.array(z.lazy(() => group)).describe('By the next dimension; empty at the last one.'),
})
group.register(z.globalRegistry, { id: 'Group' })

const reportKeys = {
  ...periodKeys,
  ...totalKeys,
  by: z.array(z.enum(teamDimensions)),
  working_days: count.describe('The working days of the period so far.'),
  average_seconds: seconds
    .nullable()
    .describe('Average whole seconds per working day; null without working days.'),
  target_seconds: seconds.nullable().describe('The target for the period so far; null without a target.'),
  target_since: day.nullable().describe('The day from which the target counts, if not the whole period.'),
  balance_seconds: secondsDifference
    .nullable()
    .describe('Tracked time minus the target; null without a target.'),
  rounding: z
    .object({
      step_seconds: seconds,
      direction: z.enum(['up', 'down', 'nearest']),
      of: z.enum(['entries', 'groups']),
    })
    .nullable(),
  groups_overlap: flag.describe(
    'Whether an entry may count in several groups, so that their sum exceeds the total.',
  ),
}

/** A report on the time of a period. */
export const report = z.object({ ...reportKeys, groups: z.array(group) }).meta({ id: 'Report' })
export type ReportJson = z.infer<typeof report>

const differenceKeys = {
  seconds: secondsDifference,
  rounded_seconds: secondsDifference,
  count: z.int(),
  amounts: z.array(money),
  billable_seconds: secondsDifference,
  billable_rounded_seconds: secondsDifference,
  non_billable_seconds: secondsDifference,
  non_billable_rounded_seconds: secondsDifference,
}
const difference = z
  .object(differenceKeys)
  .meta({ id: 'Difference', description: 'This period minus the compared one.' })

const comparedKeys = {
  ...groupKeys,
  compared: z.object({ ...totalKeys, key: text.nullable(), share }),
  difference,
}
export type ComparedGroupJson = z.infer<z.ZodObject<typeof comparedKeys>> & { groups: ComparedGroupJson[] }
const comparedGroup: z.ZodType<ComparedGroupJson> = z.object({
  ...comparedKeys,
  groups: z.array(z.lazy(() => comparedGroup)),
})
comparedGroup.register(z.globalRegistry, { id: 'ComparedGroup' })

/** A report compared with an earlier period. */
export const comparison = z
  .object({
    ...reportKeys,
    groups: z.array(comparedGroup),
    compared: z.object({ ...periodKeys, ...totalKeys }).describe('The compared period.'),
    difference,
  })
  .meta({ id: 'Comparison' })
export type ComparisonJson = z.infer<typeof comparison>

/** A line of --ndjson: an innermost group. Keys are the groupings, and `amount_EUR` for each currency. */
export const reportLine = z
  .looseObject({
    seconds,
    rounded_seconds: seconds,
    count,
    running: flag,
    billable_seconds: seconds,
    billable_rounded_seconds: seconds,
    non_billable_seconds: seconds,
    non_billable_rounded_seconds: seconds,
    share,
  })
  .meta({
    id: 'ReportLine',
    description:
      'An innermost group. Further keys are the groupings, such as `project`, amounts such as `amount_EUR`, and with a comparison the same keys with `compared_` and `difference_`.',
  })

/** A problem with tracked time. */
export const finding = z
  .object({
    n: z.int(),
    kind: z.enum(findingKinds),
    from: time,
    to: time.describe('RFC 3339; now for a running entry.'),
    seconds: seconds.describe('Whole seconds that are missing, counted twice, or the duration of the entry.'),
    entries: z.array(id).describe('The entries concerned; empty for a gap.'),
    what: text.describe('The problem as a sentence.'),
    mend: text.describe('The commands that resolve it; replace TASK, TIME and TEXT in them.'),
    alternative: text.optional().describe('Another command, which removes tracked time.'),
    proposals: z
      .array(z.object({ from: time, to: time, seconds, command: text, commits: z.array(commit) }))
      .optional()
      .describe('Entries for the commits in a gap, with commands that add them; only with --git.'),
  })
  .meta({ id: 'Finding' })
export type FindingJson = z.infer<typeof finding>

const expenseTotalKeys = { count, amounts: z.array(money) }
const expenseGroupKeys = {
  by: z.enum(expenseDimensions),
  key: text.nullable(),
  id: id.nullable(),
  ...expenseTotalKeys,
}
export type ExpenseGroupJson = z.infer<z.ZodObject<typeof expenseGroupKeys>> & { groups: ExpenseGroupJson[] }
const expenseGroup: z.ZodType<ExpenseGroupJson> = z.object({
  ...expenseGroupKeys,
  groups: z.array(z.lazy(() => expenseGroup)),
})
expenseGroup.register(z.globalRegistry, { id: 'ExpenseGroup' })

export const expenseReport = z
  .object({
    ...periodKeys,
    ...expenseTotalKeys,
    by: z.array(z.enum(expenseDimensions)),
    groups: z.array(expenseGroup),
  })
  .meta({ id: 'ExpenseReport' })
export type ExpenseReportJson = z.infer<typeof expenseReport>

export const expenseReportLine = z.looseObject({ count }).meta({
  id: 'ExpenseReportLine',
  description: 'An innermost group. Further keys are the groupings, and amounts such as `amount_EUR`.',
})
