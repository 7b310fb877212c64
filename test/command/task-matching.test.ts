import { describe, expect, test } from 'vitest'
import { newDesk } from '../support/test-cli.js'
import { openOffice } from './service-fixtures.js'

/** A desk of the local workspace with Website / Design and Shop / Signage. */
async function workspace() {
  const desk = newDesk('2024-05-08T12:00:00')
  for (const task of ['Website/Design', 'Shop/Signage'])
    await desk.json('add', task, '--from', '9:00', '--for', '1h')
  return desk
}

describe('a match inside a word', () => {
  test.each([
    ['start', ['start', 'esign']],
    ['add', ['add', 'web/esi', '--from', '10:00', '--for', '1h']],
    ['edit', ['edit', '@1', '--task', 'esign']],
  ])('is not used by tt %s, which names the candidate', async (_, line) => {
    const desk = await workspace()
    const before = await desk.json('log')
    const refused = await desk.tt(...line, '--yes')
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr).toContain('matches only inside a word: Website / Design.')
    expect(refused.stderr).toContain('--create')
    expect(await desk.json('log')).toEqual(before)
    expect(await desk.json('links')).toHaveLength(2)
  })

  test('is not used in place of the beginning of another word', async () => {
    const desk = await workspace()
    // "sign" is inside Design, too.
    expect(await desk.json('start', 'sign')).toMatchObject({ project: 'Shop', task: 'Signage' })
  })

  test('is not created over silently, but --create does', async () => {
    const desk = await workspace()
    expect((await desk.tt('start', 'hop/Sign')).status).toBe(2)
    expect(await desk.json('start', 'hop/Sign', '--create')).toMatchObject({ project: 'hop', task: 'Sign' })
  })

  test('is refused for expense types and projects of expenses', async () => {
    const desk = await workspace()
    await desk.json('admin', 'expense-type', 'add', 'Train travel')
    for (const [option, typed, name] of [
      ['--type', 'vel', 'Train travel'],
      ['--project', 'site', 'Website'],
    ] as const)
      expect(await desk.tt('expenses', 'add', '5', option, typed)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(`matches only inside a word: ${name}.`),
      })
    expect(await desk.json('expenses', 'add', '5', '--type', 'trav')).toMatchObject({ id: 1 })
  })

  test('with a service, where nothing can be created, does not mention --create', async () => {
    const { desk } = await openOffice()
    for (const typed of ['esign', 'e', 'zzz']) {
      const refused = await desk.tt('start', typed)
      expect(refused.status).toBe(2)
      expect(refused.stderr).not.toContain('--create')
    }
  })
})

test.each([
  ['several tasks', ['start', 'web']],
  ['a near name', ['start', 'Website/Desing']],
  ['no task', ['start', 'zzz']],
  ['no argument', ['start']],
])('a refusal for %s mentions --create', async (_, line) => {
  const desk = await workspace()
  await desk.json('add', 'Website/Review', '--from', '11:00', '--for', '10m')
  expect(await desk.tt(...line)).toMatchObject({ status: 2, stderr: expect.stringContaining('--create') })
})

test('a refusal in an empty workspace mentions --create', async () => {
  expect(await newDesk().tt('start', 'zzz')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--create'),
  })
})
