import { describe, expect, test } from 'vitest'
import { type ColumnMap, parseColumns } from '../../../../src/import-export/import/csv/csv-fields.js'
import { formats } from '../../../../src/import-export/import/formats.js'
import { usageErrorOf } from '../../../support/usage-error.js'
import { detected, entries, fixture, read, source, texts } from './read.js'

describe('a report of solidtime', () => {
  test('has local times, names, tags and notes', async () => {
    expect(await texts('solidtime', fixture('solidtime.csv'))).toEqual([
      '2: 2024-05-01T07:30Z – 2024-05-01T08:30:15sZ Acme/Website/Design #front end #urgent Fix the logo',
      '3: 2024-05-01T09:00Z – open Calls',
    ])
  })

  test('that solidtime itself imports has RFC 3339 times and other users', async () => {
    const text = [
      'description,billable,client,project,tags,start,end,task,user_name,user_email',
      '"Logo","true","Acme","Website","","2024-05-01T07:30:00Z","2024-05-01T08:30:00Z","Design","Ada","ada@example.com"',
    ].join('\n')
    expect(await detected(text)).toBe('solidtime')
    expect(await entries('solidtime', text)).toMatchObject([
      { start: new Date('2024-05-01T07:30:00Z'), task: 'Design', billable: true, person: 'ada@example.com' },
    ])
  })

  test('of the archive with IDs instead of names is rejected', async () => {
    const text = 'id,description,start,end,organization_id,client_id,project_id,task_id,tags\n'
    expect(await detected(text)).toBe('solidtime')
    await expect(read('solidtime', text)).rejects.toThrow(
      'contains the IDs of projects instead of their names',
    )
  })
})

describe('other CSV files', () => {
  test('have usual columns', async () => {
    const text =
      'Start;End;Customer;Project;Activity;Comment;Labels\n2024-05-01 09:30;2024-05-01 10:00;Acme;Website;Design;Logo;a,b\n'
    expect(await detected(text)).toBe('generic')
    expect(await texts('generic', text)).toEqual([
      '2: 2024-05-01T07:30Z – 2024-05-01T08:00Z Acme/Website/Design #a #b Logo',
    ])
  })

  test('have the columns that the user names', async () => {
    const columns = parseColumns('start=From, end=until,project=Job,id="No, really"')
    const text = 'From,Until,Job,"No, really"\n2024-05-01T07:30:00Z,2024-05-01T10:00:00.5+02:00,Website,17\n'
    const [start, end] = [new Date('2024-05-01T07:30:00Z'), new Date('2024-05-01T08:00:00.500Z')]
    expect(await entries('generic', text, { columns })).toMatchObject([
      { start, end, project: 'Website', sourceId: '17' },
    ])
  })

  const halfHour = '05-01T07:30Z – 05-01T08:00Z'
  const fiveQuarters = '05-01T07:30Z – 05-01T08:45Z'

  test.each<[name: string, header: string, row: string, result: string]>([
    ['a date and times', 'date,start,end', '2024-05-01,9:30,10:00', halfHour],
    ['a date and times of 12 hours', 'date,start time,end time', '2024-05-01,9:30 pm,10 pm', 'invalid'],
    ['an end after midnight', 'date,start,end', '2024-05-31,22:00,01:00', '05-31T20:00Z – 05-31T23:00Z'],
    [
      'an end date',
      'date,start_time,end_date,end_time',
      '2024-05-01,22:00,2024-05-03,01:00',
      '05-01T20:00Z – 05-02T23:00Z',
    ],
    ['a start and a duration', 'start,duration', '2024-05-01 09:30,1:15', fiveQuarters],
    ['minutes', 'start,minutes', '2024-05-01 09:30,75', fiveQuarters],
    ['seconds', 'start,duration_seconds', '2024-05-01 09:30,4500', fiveQuarters],
    ['hours', 'start,hours', '2024-05-01 09:30,"1,25"', fiveQuarters],
    ['a duration in units', 'start,duration', '2024-05-01 09:30,1h 15m', fiveQuarters],
    ['an ISO 8601 duration', 'start,duration', '2024-05-01 09:30,PT1H15M', fiveQuarters],
    ['a number without a unit', 'start,duration', '2024-05-01 09:30,75', 'invalid'],
    [
      'decimal hours and an exact end',
      'start,end,duration',
      '2024-05-01 09:30,2024-05-01 09:50,0.33',
      '05-01T07:30Z – 05-01T07:50Z',
    ],
    ['no end', 'start,end', '2024-05-01 09:30,', '05-01T07:30Z – open'],
    ['a date in the format of its country', 'start,end', '1.5.2024 9:30,1.5.2024 10:00', halfHour],
    ['slashes and the year first', 'start,end', '2024/05/01 9:30,2024/05/01 10:00', halfHour],
    ['start_time with a date', 'start_time,end_time', '2024-05-01 9:30,2024-05-01 10:00', halfHour],
    ['an offset without a colon', 'start,end', '2024-05-01 09:30 +0200,2024-05-01 10:00 +0200', halfHour],
    ['a day that does not exist', 'start,duration', '2024-06-31 09:30,1:15', 'invalid'],
    ['an end before the start', 'start,end', '2024-05-01 09:30,2024-05-01 09:00', 'invalid'],
    ['an impossible offset', 'start,end', '2024-05-01 09:30+99:00,2024-05-01 09:00', 'invalid'],
  ])('can have %s', async (_, header, row, result) => {
    const [line = ''] = await texts('generic', `${header}\n${row}\n`)
    if (result === 'invalid') expect(line).toMatch(/^file:2:\d: .+, not a /)
    else expect(line.replaceAll('2024-', '')).toBe(`2: ${result}`)
  })

  test('with days and durations only are placed', async () => {
    expect(await texts('generic', 'Day,Duration\n2024-05-01,1:00\n2024-05-01,0:30\n')).toEqual([
      'Entries without a time of day are placed one after another from 09:00.',
      '2: 2024-05-01T07:00Z – 2024-05-01T08:00Z',
      '3: 2024-05-01T08:00Z – 2024-05-01T08:30Z',
    ])
  })

  test('have names of columns, and fields of several lines, with other delimiters in quotation marks', async () => {
    const text =
      'start;duration;"notes";"a, b, c, d, e"\n2024-05-01 09:30;1:15;"one\ntwo";x\n2024-05-01 11:00;1:15;three;x\n'
    const [first, second] = await entries('generic', text)
    expect([first, second]).toMatchObject([
      { line: 2, notes: 'one\ntwo' },
      { line: 4, notes: 'three' },
    ])
  })

  test('say whether time is billable', async () => {
    const rows = ['Yes', 'no', '', 'maybe'].map((word) => `2024-05-01 09:30,1:15,${word}\n`)
    const found = await entries('generic', `start,duration,billable\n${rows.join('')}`)
    expect(found.map(({ billable }) => billable)).toEqual([true, false, null, null])
  })

  test('without known columns are rejected', async () => {
    const unknown = source('From then,Until,Job\n2024-05-01,2,3\n', 'jobs.csv')
    await expect(read('generic', unknown)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(
        'No column is known as the start of the entries. The file has: From then, Until, Job.',
      ),
      nextStep: { action: 'set_import_option', option: 'columns' },
    })
    await expect(read('generic', unknown, { columns: { start: 'Begin', project: 'Job' } })).rejects.toThrow(
      'jobs.csv:1: The column "Begin" cannot be found.',
    )
  })

  test('whose quotation mark is not closed are rejected with its line', async () => {
    const text = 'start,end,notes\n2024-05-01 09:30,2024-05-01 10:00,a\n2024-05-01 09:30,,"b\n'
    await expect(read('generic', source(text, 'jobs.csv'))).rejects.toThrow(
      'jobs.csv:3: A quotation mark is opened here and not closed.',
    )
  })

  test.each(['\n', '\r\n', '\n\n \r\n'])('are streamed if lines end with %j', async (ending) => {
    let piecesRead = 0
    const endless = {
      name: 'endless.csv',
      async *chunks() {
        yield `${ending}start,end,project`
        for (;;) {
          piecesRead++
          yield `${ending}2024-05-01 09:30,2024-05-01 10:00,Website`
        }
      },
    }
    const rows = (await formats.generic.load()).read(endless, { workStartMinutes: 540, now: new Date() })
    for await (const row of rows) {
      expect(row).toMatchObject({ kind: 'entry', project: 'Website' })
      break
    }
    expect(piecesRead).toBeLessThan(10)
  })

  test('may contain quotation marks within fields', async () => {
    expect(await texts('generic', 'start,end,notes\n2024-05-01 09:30,,5" logo\n')).toEqual([
      '2: 2024-05-01T07:30Z – open 5" logo',
    ])
  })
})

describe('a map of columns', () => {
  test.each<[string, ColumnMap]>([
    ['start=From', { start: 'From' }],
    [' date = Tag der Arbeit , duration=Dauer', { date: 'Tag der Arbeit', duration: 'Dauer' }],
    ['start="a,b",notes=x=y', { start: 'a,b', notes: 'x=y' }],
  ])('is read from %s', (text, columns) => expect(parseColumns(text)).toEqual(columns))

  test.each([
    ['', 'The start of the entries is missing.'],
    ['project=Job', 'The start of the entries is missing.'],
    ['start', '"start" is not a field and a column.'],
    ['start=', '"start=" is not a field and a column.'],
    ['stop=Until,start=From', 'There is no field "stop".'],
    ['projekt=Job', 'There is no field "projekt". Did you mean project?'],
    ['start=From,start=Begin', 'The field start occurs twice.'],
  ])('is not read from "%s"', (text, message) =>
    expect(usageErrorOf(() => parseColumns(text)).message).toContain(message),
  )
})
