import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dropRequest, noFault } from '../support/proxy.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { setUpService } from './service-fixtures.js'
import { createUnicodeCli, expectGolden, readGolden } from './unicode-fixtures.js'

async function calendarOf(cli: TestCli, ...options: string[]): Promise<string> {
  expect(await cli.run('log', ...options, '-o', 'log.ics', '--yes')).toMatchObject({ status: 0, stdout: '' })
  return readFileSync(join(cli.home, 'log.ics'), 'utf8')
}

describe('tt log equals the reviewed output', () => {
  test.each([40, 60, 80])('in a terminal of %i columns', async (columns) => {
    await expectGolden(await createUnicodeCli(), 'log', columns, 'log')
  })

  /** Replaces the random parts: the ID of the profile in the UIDs of a calendar, and entity tags. */
  const withoutRandomParts = (output: string) =>
    output
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'RANDOM-ID')
      .replace(/"\\"\d+\\""/g, '"RANDOM-TAG"')

  test.each([
    ['log-tsv.txt', []],
    ['log-ndjson.txt', ['--ndjson']],
    ['log-csv.txt', ['--csv']],
    ['log-markdown.txt', ['--markdown']],
    ['log-ical.txt', undefined],
    ['log-template.txt', ['--template', '{day} {weekday} {from}–{to} {duration} {hours} {label}: {notes}']],
  ])('in a file: %s', async (name, options) => {
    const cli = await createUnicodeCli()
    const written = options ? (await cli.run('log', ...options)).stdout : await calendarOf(cli, 'today')
    expect(withoutRandomParts(written)).toBe(readGolden(name))
  })

  test('as JSON, which is an array of the lines of NDJSON', async () => {
    const cli = await createUnicodeCli()
    const lines = readGolden('log-ndjson.txt').trimEnd().split('\n')
    const { stdout } = await cli.run('log', '--json')
    const indented = JSON.stringify(
      lines.map((line) => JSON.parse(line)),
      null,
      2,
    )
    expect(withoutRandomParts(stdout)).toBe(`${indented}\n`)
  })

  test('with a template in a terminal', async () => {
    const cli = await createUnicodeCli()
    const { stdout } = await cli.runInTerminal(80, 'log', '--template', '{id}\\t{notes}')
    expect(stdout).toBe(readGolden('log-template-terminal.txt'))
  })
})

describe('the UIDs in iCalendar', () => {
  const uidsOf = async (cli: TestCli) => {
    return [...(await calendarOf(cli)).replaceAll('\r\n ', '').matchAll(/^UID:(.+)\r$/gm)].map(
      ([, uid]) => uid,
    )
  }
  const add = (cli: TestCli, from: string) =>
    cli.run('add', 'Website/Design', '--from', `2024-05-08 ${from}`, '--for', '30m')

  test('differ between two workspaces, and stay the same', async () => {
    const [cli, other] = [createTestCli('2024-05-08T12:00:00'), createTestCli('2024-05-08T12:00:00')]
    for (const each of [cli, other]) await add(each, '9:00')
    const uids = await uidsOf(cli)
    expect(uids).toHaveLength(1)
    expect(await uidsOf(cli)).toEqual(uids)
    expect(await uidsOf(other)).not.toEqual(uids)
  })

  test('stay the same when pending entries are delivered', async () => {
    const { cli, proxy, entries } = await setUpService()
    await add(cli, '7:00')
    proxy.fault = dropRequest
    await add(cli, '8:00')
    const uids = await uidsOf(cli)
    expect(new Set(uids).size).toBe(2)
    proxy.fault = noFault
    cli.setTime('2024-05-08T12:10:00Z')
    await cli.run('sync')
    expect(await entries()).toHaveLength(2)
    expect(await uidsOf(cli)).toEqual(uids)
  })
})

test('local_id can be selected for entries without a local ID', async () => {
  const cli = await createUnicodeCli()
  expect((await cli.run('log', '--limit', '1', '--template', '<{local_id}>')).stdout).toBe('<>\n')
  expect((await cli.run('log', '--limit', '1', '--fields', 'id,local_id')).stdout).toBe('9\t\n')
})
