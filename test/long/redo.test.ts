import { describe, expect, test } from 'vitest'
import { setUpService } from '../command/service-fixtures.js'
import { describeRedo } from '../command/undo-cases.js'
import { changes, localScenario, offlineScenario } from '../command/undo-fixtures.js'
import { noFault, respondToChanges } from '../support/proxy.js'
import { share } from '../support/share.js'
import { createTestCli } from '../support/test-cli.js'

describeRedo(localScenario, share('changes redone in the local workspace', changes))
describeRedo(offlineScenario, share('changes redone offline', changes))

const additions = [
  ['add', 'design', '--from', '9:00', '--for', '1h'],
  ['add', 'design', '--from', '10:00', '--for', '1h'],
  ['add', 'design', '--from', '11:00', '--for', '1h'],
]

async function setUpThreeChanges() {
  const setup = await setUpService()
  for (const line of additions) await setup.cli.json(...line)
  return setup
}

describe('tt redo', () => {
  test('exits 3 when nothing was undone, and 2 for an invalid number', async () => {
    const { cli } = await setUpThreeChanges()
    expect(await cli.run('redo')).toMatchObject({
      status: 3,
      stdout: '',
      stderr: expect.stringContaining('nothing to redo'),
    })
    expect(await cli.json('redo', '--list')).toEqual([])
    for (const word of ['0', '-1', 'x', '1.5', '10000'])
      expect(await cli.run('redo', '--', word)).toMatchObject({ status: 2 })
  })

  test('redoes nothing after a new change, even when that is undone', async () => {
    const { cli } = await setUpThreeChanges()
    await cli.json('undo', '2', '--yes')
    await cli.json('add', 'review', '--from', '8:00', '--for', '30m')
    expect(await cli.json('redo', '--list')).toEqual([])
    await cli.json('undo', '2', '--yes')
    expect(await cli.json('redo', '--list')).toMatchObject([
      { what: expect.stringContaining('Design') },
      { what: expect.stringContaining('Review') },
    ])
  })

  test('keeps its list when a new change fails', async () => {
    const { cli, proxy } = await setUpThreeChanges()
    await cli.json('undo')
    proxy.fault = respondToChanges(403, { error: 'insufficient_scope' })
    expect(await cli.run('add', 'review', '--from', '8:00', '--for', '30m')).toMatchObject({ status: 5 })
    expect(await cli.run('redo')).toMatchObject({ status: 5 })
    expect(await cli.json('redo', '--list')).toHaveLength(1)
    proxy.fault = noFault
    expect(await cli.json('redo')).toHaveLength(1)
  })

  test('keeps its list when an edit changes nothing', async () => {
    const { cli } = await setUpThreeChanges()
    await cli.json('undo')
    await cli.json('edit', '@1', '--from', '10:00')
    expect(await cli.json('redo', '--list')).toHaveLength(1)
  })

  test('prompts before it overwrites a later change from elsewhere', async () => {
    const { cli, sendAsOtherClient, entries } = await setUpService()
    const { id } = await cli.json('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'mine')
    await cli.json('edit', String(id), '-n', 'edited')
    await cli.json('undo')
    await sendAsOtherClient('PATCH', `/timesheets/${id}`, { notes: 'theirs' })
    expect(await cli.run('redo')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        'was changed elsewhere since (notes). Confirmation required: Redo it anyway.',
      ),
    })
    expect(await entries()).toMatchObject([{ notes: 'theirs' }])
    const redone = await cli.run('redo', '--yes')
    expect(redone).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('was changed elsewhere since (notes).'),
    })
    expect(await entries()).toMatchObject([{ notes: 'edited' }])
  })

  test('prompts before it deletes an entry that was changed elsewhere', async () => {
    const { cli, sendAsOtherClient, entries } = await setUpService()
    await cli.json('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'mine')
    await cli.json('rm', '@1', '--yes')
    await cli.json('undo')
    const [entry] = await entries()
    await sendAsOtherClient('PATCH', `/timesheets/${entry?.id}`, { notes: 'theirs' })
    expect(await cli.run('redo')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('changed elsewhere'),
    })
    expect(await entries()).toMatchObject([{ notes: 'theirs' }])
    expect(await cli.run('redo', '--yes')).toMatchObject({ status: 0 })
    expect(await entries()).toEqual([])
  })

  test('drops a change whose entry was deleted elsewhere, and goes on with the next', async () => {
    const { cli, sendAsOtherClient } = await setUpService()
    const { id } = await cli.json('add', 'design', '--from', '9:00', '--for', '1h')
    await cli.json('edit', String(id), '-n', 'edited')
    await cli.json('expenses', 'add', '5')
    await cli.json('undo', '2', '--yes')
    await sendAsOtherClient('DELETE', `/timesheets/${id}`)
    expect(await cli.run('redo')).toMatchObject({ status: 3, stderr: expect.stringContaining('is gone') })
    expect(await cli.json('redo')).toMatchObject([{ what: expect.stringContaining('expense') }])
  })
})

describe.each([
  ['undo', 'Undo', 'Undid'],
  ['redo', 'Redo', 'Redid'],
])('tt %s N', (command, title, pastTense) => {
  async function prepared() {
    const setup = await setUpThreeChanges()
    if (command === 'redo') await setup.cli.json('undo', '3', '--yes')
    return setup
  }

  test('lists the changes and prompts above 1, and prints the same list under --yes', async () => {
    const { cli, entries } = await prepared()
    const before = await entries()
    const rejected = await cli.run(command, '3')
    expect(rejected.status).toBe(2)
    expect(rejected.stderr).toMatch(/ {2}1 {2}\d\d:\d\d {2}Added Website \/ Design, (11|09):00\n {2}2 {2}/)
    expect(rejected.stderr).toContain(`${title} these 3 changes.`)
    expect(rejected.stderr).toContain('--yes')
    expect(await entries()).toEqual(before)
    const [list = ''] = /^ {2}1[\s\S]*?(?=\n\w)/m.exec(rejected.stderr) ?? []
    expect(list.split('\n')).toHaveLength(3)
    const { stderr } = await cli.run(command, '3', '--yes')
    expect(stderr).toContain(list)
    expect(stderr.match(new RegExp(`^${pastTense}: `, 'gm'))).toHaveLength(3)
  })

  test('says when there are fewer changes', async () => {
    const { cli } = await prepared()
    const fewer = new RegExp(`Only 3 changes can be ${command === 'undo' ? 'undone' : 'redone'}\\.`)
    expect(await cli.run(command, '99')).toMatchObject({ status: 2, stderr: expect.stringMatching(fewer) })
    expect(await cli.run(command, '99', '--yes')).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(fewer),
    })
    const none = createTestCli()
    expect(await none.run(command, '99')).toMatchObject({ status: 3 })
  })
})
