import type { TestCli } from '../support/test-cli.js'
import type { Row } from './service-fixtures.js'

const formatTime = (time: unknown) =>
  typeof time === 'string' ? new Date(time).toTimeString().slice(0, 5) : 'runs'

/** Formats entries as "09:00–10:00 notes", sorted. */
export const formatEntries = (rows: readonly Row[]) =>
  rows
    .map(({ time_start, time_end, notes }) =>
      `${formatTime(time_start)}–${formatTime(time_end)} ${notes ?? ''}`.trim(),
    )
    .sort()

/** Returns the entries of the log like `formatEntries`. */
export const log = async (cli: TestCli) => formatEntries(await cli.json<Row[]>('log'))
