import { expect, test } from 'vitest'
import { toRfc3339 } from '../../src/lib/calendar/time.js'
import { preparedCli } from '../support/prepared-cli.js'
import type { TestCli } from '../support/test-cli.js'
import { setUpService } from './service-fixtures.js'

const createTaggedCli = preparedCli('2024-05-08T12:00:00Z', async (cli) => {
  await cli.json('add', 'Website/Design', '--from', '8:00', '--for', '1h', '-n', 'Sketch #logo #Client-A')
  await cli.json('add', 'Website/Design', '--from', '9:00', '--for', '30m', '-n', 'Call about #logo')
  await cli.json('add', 'Website/Review', '--from', '10:00', '--for', '15m', '-n', 'See issue #12 in C#')
})

const local = (time: string) => toRfc3339(new Date(`2024-05-08T${time}`))

async function notesIn(cli: TestCli, ...argv: string[]): Promise<unknown[]> {
  return (await cli.json<{ notes: unknown }[]>('log', ...argv)).map(({ notes }) => notes)
}

test('the log colours tags on a terminal', async () => {
  const cli = await createTaggedCli()
  Object.assign(cli.env, { NO_COLOR: undefined, FORCE_COLOR: '1', TERM: 'xterm' })
  const { stdout } = await cli.runInTerminal(120, 'log')
  expect(stdout).toContain('Call about \u001b[36m#logo\u001b[39m')
  expect(stdout).toContain('See issue #12 in C#')
})

test('completion offers the tags of recent entries, the most used first', async () => {
  const cli = await createTaggedCli()
  expect((await cli.run('__complete', '--', 'log', '--tag', '')).stdout).toBe(
    'logo\t2 entries\nclient-a\t1 entry\n',
  )
})

test('completion offers the tags of cached and pending entries of a service', async () => {
  const { cli, proxy } = await setUpService()
  await cli.json('add', 'Website/Review', '--from', '8:00', '--for', '1h', '-n', 'Sent #logo')
  await cli.run('log')
  await proxy.close()
  await cli.json('add', 'Website/Review', '--from', '9:00', '--for', '1h', '-n', 'Pending #later')
  expect((await cli.run('__complete', '--', 'report', '--tag', '')).stdout).toBe(
    'later\t1 entry\nlogo\t1 entry\n',
  )
})

test('a report by tag counts an entry under each tag, and says that groups overlap', async () => {
  const cli = await createTaggedCli()
  const { stdout } = await cli.runInTerminal(80, 'report', '--by', 'tag')
  expect(stdout).toContain('#logo')
  expect(stdout).toContain('no tag')
  expect(stdout).toMatch(/Total +1h 45m\n/)
  expect(stdout).toContain(
    'Tag groups overlap: an entry counts under each of its tags, and once in the total.',
  )
  expect(await cli.json('report', '--by', 'tag')).toMatchObject({
    seconds: 6300,
    groups_overlap: true,
    groups: [
      { key: 'logo', seconds: 5400 },
      { key: 'client-a', seconds: 3600 },
      { key: null, seconds: 900 },
    ],
  })
  expect((await cli.run('report', '--by', 'tag', '--csv')).stdout).toContain('logo,5400,')
  expect((await cli.run('report', '--by', 'tag', '--html')).stdout).toContain('Tag groups overlap')
  expect(await cli.run('report', '--by', 'tag', '--chart')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Tags overlap and cannot be drawn as parts of a chart.'),
  })
})

test('tt tags lists the tags of a period with entries and time', async () => {
  const cli = await createTaggedCli()
  expect(await cli.json('tags')).toEqual([
    { tag: 'logo', count: 2, seconds: 5400, last_used: local('09:00') },
    { tag: 'client-a', count: 1, seconds: 3600, last_used: local('08:00') },
  ])
  expect(await cli.json('tags', '--tag', 'client-a')).toEqual([
    { tag: 'client-a', count: 1, seconds: 3600, last_used: local('08:00') },
    { tag: 'logo', count: 1, seconds: 3600, last_used: local('08:00') },
  ])
  expect(await cli.json('tags', 'yesterday')).toEqual([])
  expect((await cli.runInTerminal(40, 'tags')).stdout).toBe(
    'Tag        Entries  Duration  Last used\n' +
      '#logo            2    1h 30m  2024-05-08\n' +
      '#client-a        1    1h 00m  2024-05-08\n',
  )
  expect((await cli.run('tags', '--csv')).stdout).toBe(
    `tag,count,seconds,last_used\r\nlogo,2,5400,${local('09:00')}\r\nclient-a,1,3600,${local('08:00')}\r\n`,
  )
})

test.each(['in the local workspace', 'at a service'])(
  'rename rewrites the notes as one change %s',
  async (place) => {
    const cli = place === 'at a service' ? (await setUpService()).cli : await createTaggedCli()
    if (place === 'at a service') {
      await cli.json('add', 'design', '--from', '8:00', '--for', '1h', '-n', 'Sketch #logo #Client-A')
      await cli.json('add', 'design', '--from', '9:00', '--for', '30m', '-n', 'Call about #Logo, not #logos')
    }
    const before = await notesIn(cli)
    expect(await cli.run('tags', 'rename', 'logo', 'brand')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Confirmation required: Rename the tag #logo to #brand in 2 entries.'),
    })
    const renamed = await cli.run('tags', 'rename', '#Logo', 'brand', '--yes')
    expect(renamed).toMatchObject({ status: 0, stderr: 'Renamed the tag #logo to #brand in 2 entries.\n' })
    expect(await notesIn(cli)).toEqual(
      before.map((notes) => String(notes).replace(/#logo\b(?!s)/gi, '#brand')),
    )
    expect(await cli.run('tags', 'rename', 'logo', 'brand')).toMatchObject({
      ...{ status: 3, stderr: expect.stringContaining('No entry has the tag #logo.') },
    })
    expect(await cli.run('undo', '--yes')).toMatchObject({ status: 0 })
    expect(await notesIn(cli)).toEqual(before)
  },
)

test.each([
  ['two words', 'brand'],
  ['logo', '12'],
])('rename rejects what is not a tag: %j to %j', async (...names) => {
  const cli = await createTaggedCli()
  expect(await cli.run('tags', 'rename', ...names, '--yes')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('is not a tag'),
  })
})

test('rename changes nothing while only cached entries are known', async () => {
  const { cli, proxy } = await setUpService()
  await cli.json('add', 'design', '--from', '8:00', '--for', '1h', '-n', 'Sketch #logo')
  await proxy.close()
  const { status } = await cli.run('tags', 'rename', 'logo', 'brand', '--yes')
  expect(status).toBe(6)
  expect(await notesIn(cli)).toContain('Sketch #logo')
})
