import { z } from 'zod'
import { calendarUnits, expenseDimensions, findingKinds, teamDimensions } from '../report-names.js'
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

const hours = text.describe('Decimal hours as displayed, such as "3.83".')
const billedKeys = {
  hours,
  billable_hours: text.describe('The billable part of `hours`.'),
  rate: money.nullable().describe('The hourly rate; null unless all time has the same one.'),
}

const periodKeys = {
  since: day.nullable().describe('The first day; null for a period without a start.'),
  until: day.nullable().describe('The last day; null for a period without an end.'),
}

const share = z.number().describe('The share of the total seconds, from 0 to 1.')
const keyOfGroup =
  'The name, null where there is none; a day or the first day of a week, 2024-05, 2024-Q2, 2024, Monday.'
const groupKeys = {
  by: z.enum(teamDimensions).describe('The grouping of this group.'),
  key: text.nullable().describe(keyOfGroup),
  id: id.nullable().describe('Of a client, project or task.'),
  ...totalKeys,
  share,
  ...billedKeys,
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
  ...billedKeys,
  by: z.array(z.enum(teamDimensions)).describe('The groupings, from outside to inside.'),
  working_days: count.describe('The working days of the period so far.'),
  average_seconds: seconds.nullable().describe('Per working day; null without one.'),
  target_seconds: seconds.nullable().describe('For the period so far; null without a target.'),
  target_since: day.nullable().describe('From when the target counts, if not the whole period.'),
  balance_seconds: secondsDifference
    .nullable()
    .describe('Tracked time minus the target; null without a target.'),
  rounding: z
    .object({
      step_seconds: seconds.nullable().describe('null if entries have different roundings.'),
      direction: z.enum(['up', 'down', 'nearest']).nullable(),
      of: z
        .enum(['entries', 'groups'])
        .describe('entries: each entry is rounded; groups: the total of each innermost group.'),
    })
    .nullable()
    .describe('null without rounding.'),
  groups_overlap: flag.describe('Whether an entry may count in several groups.'),
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

/** Returns the optional keys of a line for groupings, such as `project`: the key of the group. */
function keysOfGroupings<Name extends string>(names: readonly Name[]) {
  const key = text.nullable().optional().describe(`${keyOfGroup} Only with this grouping.`)
  return Object.fromEntries(names.map((name) => [name, key])) as Record<Name, typeof key>
}

/** Returns the optional keys of a line for the IDs of records, such as `project_id`. */
function idsOfGroupings<Name extends string>(names: readonly Name[]) {
  const key = id
    .nullable()
    .optional()
    .describe('The ID of the record; null for a group such as `no project`. Only with this grouping.')
  return Object.fromEntries(names.map((name) => [`${name}_id`, key])) as Record<`${Name}_id`, typeof key>
}

/** Returns the JSON Schema of the amounts of a line, a key for each currency. */
const amountKeys = (prefix: string, meaning: string) => ({
  [`^${prefix}amount_[a-z]+$`]: {
    type: ['string', 'null'],
    description: `${meaning} in a currency, such as ${prefix}amount_eur: a decimal number; null without one.`,
  },
})

const { amounts: _, ...lineKeys } = totalKeys
const { amounts: __, ...lineDifferenceKeys } = differenceKeys

/** Returns the keys as optional ones with a prefix. */
function withPrefix(prefix: string, keys: Readonly<Record<string, z.ZodType>>) {
  return Object.fromEntries(Object.entries(keys).map(([key, shape]) => [prefix + key, shape.optional()]))
}

/** A line of --ndjson: an innermost group. */
export const reportLine = z
  .object({
    ...keysOfGroupings(teamDimensions),
    ...idsOfGroupings(['user', 'client', 'project', 'task']),
    ...lineKeys,
    share,
    hours: hours.optional(),
    billable_hours: billedKeys.billable_hours.optional(),
    rate: text
      .nullable()
      .optional()
      .describe('The hourly rate as a decimal number; null unless all time has the same one.'),
    rate_currency: text.nullable().optional().describe('The currency of `rate` (ISO 4217).'),
    ...withPrefix('compared_', { ...keysOfGroupings(calendarUnits), ...lineKeys, share }),
    ...withPrefix('difference_', lineDifferenceKeys),
  })
  .meta({
    id: 'ReportLine',
    description:
      'An innermost group. The keys that begin with `compared_` and `difference_` exist only with a comparison.',
    patternProperties: {
      ...amountKeys('', 'The amount'),
      ...amountKeys('compared_', 'The amount of the compared period'),
      ...amountKeys('difference_', 'The amount minus that of the compared period'),
    },
  })

/** A problem with tracked time. */
export const finding = z
  .object({
    n: z.int().describe('The number in the list, from 1.'),
    kind: z
      .enum(findingKinds)
      .describe(
        'gap: working hours without time; overlap: time tracked twice; long: an entry longer than the setting entry_limit; no_notes: an entry without notes.',
      ),
    from: time,
    to: time.describe('RFC 3339; now for a running entry.'),
    seconds: seconds.describe('Whole seconds that are missing, counted twice, or the duration of the entry.'),
    entries: z.array(id).describe('The entries concerned; empty for a gap.'),
    what: text.describe('The problem as a sentence.'),
    mend: text.describe('The commands that resolve it; replace TASK, TIME and TEXT in them.'),
    alternative: text.optional().describe('Another command, which removes tracked time.'),
    proposals: z
      .array(
        z.object({
          from: time,
          to: time,
          seconds,
          command: text.describe('The command that adds it.'),
          commits: z.array(commit),
        }),
      )
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

export const expenseReportLine = z
  .object({
    ...keysOfGroupings(expenseDimensions),
    ...idsOfGroupings(['type', 'client', 'project']),
    count: count.describe('The number of expenses.'),
  })
  .meta({
    id: 'ExpenseReportLine',
    description: 'An innermost group.',
    patternProperties: amountKeys('', 'The amount'),
  })
