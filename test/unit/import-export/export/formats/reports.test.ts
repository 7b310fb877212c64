import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { clockify } from '../../../../../src/import-export/export/formats/clockify.js'
import { toggl } from '../../../../../src/import-export/export/formats/toggl.js'
import { exportedEntry, write } from '../fixtures.js'

const entries = [
  exportedEntry('2024-05-01T21:00:00Z', '2024-05-01T22:30:06Z', { notes: 'New #Logo, and\n#front-end' }),
  exportedEntry('2024-05-02T07:00:00Z', '2024-05-03T19:00:00Z', { path: 'Web/Design', isBillable: false }),
  // In Berlin, the clocks go back in this night.
  exportedEntry('2024-10-26T22:00:00Z', '2024-10-27T03:00:00Z', { path: '', notes: '=1+2' }),
  exportedEntry('2024-05-08T07:00:00Z', null),
]

test.each([
  [
    toggl,
    'User,Email,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags',
    [
      ...['', '', 'Acme', 'Website', 'Design', 'New #Logo, and\n#front-end', 'Yes'],
      ...['2024-05-01', '23:00:00', '2024-05-02', '00:30:06', '01:30:06', 'logo, front-end'],
    ],
    [
      ...['', '', '', 'Web', 'Design', '', 'No'],
      ...['2024-05-02', '09:00:00', '2024-05-03', '21:00:00', '36:00:00', ''],
    ],
    [
      ...['', '', '', '', '', "'=1+2", 'Yes'],
      ...['2024-10-27', '00:00:00', '2024-10-27', '04:00:00', '05:00:00', ''],
    ],
  ],
  [
    clockify,
    'Project,Client,Description,Task,User,Group,Email,Tags,Billable,Start Date,Start Time,End Date,End Time,' +
      'Duration (h),Duration (decimal)',
    [
      ...['Website', 'Acme', 'New #Logo, and\n#front-end', 'Design', '', '', '', 'logo, front-end', 'Yes'],
      ...['2024-05-01', '23:00:00', '2024-05-02', '00:30:06', '01:30:06', '1.50'],
    ],
    [
      ...['Web', '', '', 'Design', '', '', '', '', 'No'],
      ...['2024-05-02', '09:00:00', '2024-05-03', '21:00:00', '36:00:00', '36.00'],
    ],
    [
      ...['', '', "'=1+2", '', '', '', '', '', 'Yes'],
      ...['2024-10-27', '00:00:00', '2024-10-27', '04:00:00', '05:00:00', '5.00'],
    ],
  ],
])(
  'a detailed report has its columns, with local times and exact durations: %#',
  async (format, header, ...rows) => {
    const { text, findings } = await write(format, entries)
    expect(text.split('\r\n')[0]).toBe(header)
    expect((parse(text) as string[][]).slice(1)).toEqual(rows)
    expect(findings.omittedRunning.count).toBe(1)
  },
)
