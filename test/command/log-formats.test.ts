import { parse } from 'csv-parse/sync'
import nodeIcal from 'node-ical'
import { describe, expect, test } from 'vitest'
import { displayWidth } from '../../src/ui/text.js'
import { newDesk } from '../support/test-cli.js'
import { busyWeek, golden } from './wide-week.js'

type Row = Record<string, unknown>

describe('tt log is what was looked at', () => {
  test.each([60, 80, 120])('on a terminal of %i columns', async (columns) => {
    const desk = await busyWeek()
    const { stdout } = await desk.terminal(columns, 'log')
    for (const line of stdout.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
    expect(stdout).toBe(golden(`log-${columns}.txt`))
  })

  test.each([
    ['log-tsv.txt', []],
    ['log-json.txt', ['--json']],
    ['log-ndjson.txt', ['--ndjson']],
    ['log-csv.txt', ['--csv']],
    ['log-markdown.txt', ['--markdown']],
    ['log-ical.txt', ['--ical']],
    ['log-template.txt', ['--template', '{day} {weekday} {from}–{to} {duration} {hours} {label}: {notes}']],
  ])('in a file: %s', async (name, options) => {
    const desk = await busyWeek()
    expect((await desk.tt('log', ...options)).stdout).toBe(golden(name))
  })

  test('by a template on a terminal', async () => {
    const desk = await busyWeek()
    const { stdout } = await desk.terminal(80, 'log', '--template', '{id}\\t{notes}')
    expect(stdout).toBe(golden('log-template-terminal.txt'))
  })
})

describe('another program', () => {
  test('reads the same values out of CSV as out of JSON', async () => {
    const desk = await busyWeek()
    const rows = await desk.json<Row[]>('log')
    const records: Row[] = parse((await desk.tt('log', '--csv')).stdout, { columns: true })
    const text = (value: unknown) => (value === null ? '' : String(value).replace(/^=/, "'="))
    expect(records).toEqual(
      rows.map((row, index) =>
        Object.fromEntries(Object.keys(records[index] ?? {}).map((key) => [key, text(row[key])])),
      ),
    )
  })

  test('reads the entries out of iCalendar', async () => {
    const desk = await busyWeek()
    const rows = await desk.json<Row[]>('log')
    const { stdout } = await desk.tt('log', '--ical')
    const events = Object.values(nodeIcal.sync.parseICS(stdout)).filter((one) => one?.type === 'VEVENT')
    const read = events as unknown as {
      uid: string
      start: Date
      end: Date
      summary: string
      status?: string
    }[]
    expect(
      read.map(({ uid, start, end, summary, status }) => [
        uid,
        start.getTime(),
        end.getTime(),
        summary,
        status,
      ]),
    ).toEqual(
      rows.map(({ id, time_start, time_end, client, project, task }) => [
        `time-entry-${id}@tt`,
        Date.parse(String(time_start)),
        Date.parse(String(time_end ?? '2024-05-01T12:00:00+02:00')),
        [client, project, task].filter(Boolean).join(' / '),
        time_end === null ? 'TENTATIVE' : undefined,
      ]),
    )
  })
})

describe('of a period without entries', () => {
  test.each([
    ['--json', '[]\n'],
    ['--ndjson', ''],
    ['--csv', 'id,time_start,time_end,duration_seconds,client,project,task,notes\r\n'],
    ['--ical', 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//tt//Time entries//EN\r\nEND:VCALENDAR\r\n'],
    ['--template={label}', ''],
  ])('tt log %s is %j, in 1970 and in 2100', async (option, stdout) => {
    const desk = newDesk()
    await desk.tt('links')
    for (const year of ['1970', '2100'])
      expect(await desk.tt('log', '--since', year, '--until', year, option)).toMatchObject({
        status: 0,
        stdout,
        stderr: '',
      })
  })
})

test('the local id, which only what waits for delivery has, can be asked for at any time', async () => {
  const desk = await busyWeek()
  expect((await desk.tt('log', '--limit', '1', '--template', '<{local_id}>')).stdout).toBe('<>\n')
  expect((await desk.tt('log', '--limit', '1', '--fields', 'id,local_id')).stdout).toBe('9\t\n')
})

describe('tt log refuses', () => {
  test.each([
    [['--template', '{nonesuch}'], 'there is no "nonesuch"'],
    [['--template', '{label'], '"{" is never closed'],
    [['--template', ''], 'it is empty'],
    [['--template', '{id}', '--fields', 'id'], '--template and --fields exclude each other'],
    [['--template', '{id}', '--json'], '--json and --template exclude each other'],
    [['--ical', '--csv'], '--csv and --ical exclude each other'],
    [['--ical', '--fields', 'id'], '--ical and --fields exclude each other'],
  ])('%j', async (options, message) => {
    const desk = await busyWeek()
    const refused = await desk.tt('log', ...options)
    expect(refused).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(message) })
  })

  test('nothing else takes --ical', async () => {
    for (const list of ['projects', 'expenses', 'frequent'])
      expect(await newDesk().tt(list, '--ical')).toMatchObject({ status: 2, stdout: '' })
  })
})
