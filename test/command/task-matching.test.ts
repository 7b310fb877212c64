import { describe, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { createTestCli } from '../support/test-cli.js'
import { setUpService } from './service-fixtures.js'

/** Creates a `TestCli` with the tasks Website / Design and Shop / Signage. */
const createTwoProjectCli = preparedCli('2024-05-08T12:00:00', async (cli) => {
  for (const task of ['Website/Design', 'Shop/Signage'])
    await cli.json('add', task, '--from', '9:00', '--for', '1h')
})

describe('a match inside a word', () => {
  test.each([
    ['start', ['start', 'esign']],
    ['add', ['add', 'web/esi', '--from', '10:00', '--for', '1h']],
    ['edit', ['edit', '@1', '--task', 'esign']],
  ])('is not used by tt %s, which names the candidate', async (_, line) => {
    const cli = await createTwoProjectCli()
    const before = await cli.json('log')
    const rejected = await cli.run(...line, '--yes')
    expect(rejected).toMatchObject({ status: 2, stdout: '' })
    expect(rejected.stderr).toContain('matches only inside a word: Website / Design.')
    expect(rejected.stderr).toContain('--create')
    expect(await cli.json('log')).toEqual(before)
    expect(await cli.json('links')).toHaveLength(2)
  })

  test('is not used in place of the beginning of another word', async () => {
    const cli = await createTwoProjectCli()
    // "sign" is inside Design, too.
    expect(await cli.json('start', 'sign')).toMatchObject({ project: 'Shop', task: 'Signage' })
  })

  test('is not created over silently, but --create does', async () => {
    const cli = await createTwoProjectCli()
    expect((await cli.run('start', 'hop/Sign')).status).toBe(2)
    expect(await cli.json('start', 'hop/Sign', '--create')).toMatchObject({ project: 'hop', task: 'Sign' })
  })

  test('is refused for expense types and projects of expenses', async () => {
    const cli = await createTwoProjectCli()
    await cli.json('admin', 'expense-type', 'add', 'Train travel')
    for (const [option, typed, name] of [
      ['--type', 'vel', 'Train travel'],
      ['--project', 'site', 'Website'],
    ] as const)
      expect(await cli.run('expenses', 'add', '5', option, typed)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(`matches only inside a word: ${name}.`),
      })
    expect(await cli.json('expenses', 'add', '5', '--type', 'trav')).toMatchObject({ id: 1 })
  })

  test('with a service, where nothing can be created, does not mention --create', async () => {
    const { cli } = await setUpService()
    for (const typed of ['esign', 'e', 'zzz']) {
      const rejected = await cli.run('start', typed)
      expect(rejected.status).toBe(2)
      expect(rejected.stderr).not.toContain('--create')
    }
  })
})

test.each([
  ['several tasks', ['start', 'web']],
  ['a near name', ['start', 'Website/Desing']],
  ['no task', ['start', 'zzz']],
  ['no argument', ['start']],
])('a refusal for %s mentions --create', async (_, line) => {
  const cli = await createTwoProjectCli()
  await cli.json('add', 'Website/Review', '--from', '11:00', '--for', '10m')
  expect(await cli.run(...line)).toMatchObject({ status: 2, stderr: expect.stringContaining('--create') })
})

test('a refusal in an empty workspace mentions --create', async () => {
  expect(await createTestCli().run('start', 'zzz')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--create'),
  })
})
