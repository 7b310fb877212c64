/** The units of the calendar by which time and expenses can be grouped. */
export const calendarUnits = ['day', 'week', 'month', 'quarter', 'year'] as const

/** The groupings that follow from a date alone. */
export const calendarDimensions = [...calendarUnits, 'weekday'] as const
export type CalendarDimension = (typeof calendarDimensions)[number]

/**
 * The groupings of time entries. An entry that crosses midnight counts on each day for its part, and an entry with several
 * tags under each of them.
 */
export const dimensions = [...calendarDimensions, 'client', 'project', 'task', 'tag', 'notes'] as const

/** The groupings of the entries of several users. */
export const teamDimensions = ['user', ...dimensions] as const
export type Dimension = (typeof teamDimensions)[number]

/** The groupings of expenses. */
export const expenseDimensions = [...calendarUnits, 'type', 'client', 'project', 'currency'] as const
export type ExpenseDimension = (typeof expenseDimensions)[number]

/** The kinds of charts of a report; the first is the default. */
export const chartKinds = ['bars', 'heat', 'shares'] as const
export type ChartKind = (typeof chartKinds)[number]

/** The time that a page shows: the billed one, without times of day, or the exact one too. */
export const shownTimes = ['billed', 'exact'] as const

/** Which entries a page lists: every one, or none. By default it lists as many as fit. */
export const entryLists = ['all', 'none'] as const

/** The kinds of problems with tracked time. */
export const findingKinds = ['gap', 'overlap', 'long', 'no_notes'] as const
export type FindingKind = (typeof findingKinds)[number]
