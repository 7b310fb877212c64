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
  test('is not used by commands, which name the candidate', async () => {
    const cli = await createTwoProjectCli()
    const before = await cli.json('log')
    for (const [_, line] of [
      ['start', ['start', 'esign']],
      ['add', ['add', 'web/esi', '--from', '10:00', '--for', '1h']],
      ['edit', ['edit', '@1', '--task', 'esign']],
    ] as const) {
      const rejected = await cli.run(...line, '--yes')
      expect(rejected).toMatchObject({ status: 2, stdout: '' })
      expect(rejected.stderr).toContain('matches only inside a word: Website / Design.')
      expect(rejected.stderr).toContain('--create')
    }
    expect(await cli.json('log')).toEqual(before)
    expect(await cli.json('tasks')).toHaveLength(2)
  })

  test('is refused for expense types and projects of expenses', async () => {
    const cli = await createTwoProjectCli()
    await cli.json('admin', 'expense-types', 'add', 'Train travel')
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
})

describe('a project without a task', () => {
  test('is created with the task General by the first command, which names the workspace', async () => {
    const cli = createTestCli()
    expect(await cli.run('start', 'Website')).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(
        /^Your time is stored on this machine, in the local workspace .* sign in with `tt login`\.\nCreated Website \/ General\.\nStarted Website \/ General at 09:30\.\n$/,
      ),
    })
    expect(await cli.json('add', 'Write a book', '--from', '6:00', '--for', '1h')).toMatchObject({
      client: null,
      project: 'Write a book',
    })
    expect(await cli.json('tasks')).toHaveLength(2)
  })

  test('means its task of the setting default_task, else its only task, else none', async () => {
    const cli = await createTwoProjectCli()
    expect(await cli.json('start', 'website')).toMatchObject({ project: 'Website', task: 'Design' })
    await cli.json('start', 'Website/General')
    expect(await cli.json('start', 'website')).toMatchObject({ project: 'Website', task: 'General' })
    await cli.json('start', 'Website/Work')
    expect(await cli.run('config', 'set', 'default_task', 'work')).toMatchObject({ status: 0 })
    expect(await cli.json('start', 'Website')).toMatchObject({ project: 'Website', task: 'Work' })
    await cli.run('config', 'set', 'default_task', 'Rest')
    expect(await cli.run('start', 'Website')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        '"Website" matches several tasks: Website / Design; Website / General; Website / Work.',
      ),
    })
    // --create skips the question.
    expect(await cli.json('start', 'Website', '--create')).toMatchObject({ project: 'Website', task: 'Rest' })
    expect(await cli.json('edit', '@', '--task', 'New')).toMatchObject({ project: 'New', task: 'Rest' })
  })

  test('may have its client before it', async () => {
    const cli = await createTwoProjectCli()
    for (const task of ['Acme/Shop/General', 'Acme/Shop/Review', 'Shop/General'])
      await cli.json('start', task)
    expect(await cli.json('start', 'Acme/Shop')).toMatchObject({ client: 'Acme', task: 'General' })
    // Two projects have the name.
    expect((await cli.run('start', 'Shop')).status).toBe(2)
  })

  test.each([
    ['a client', 'Website/App/Design', 'Website/App/General'],
    ['a task', 'Blog/Website', 'Blog/General'],
  ])('is ambiguous as the name of %s', async (_, task, other) => {
    const cli = await createTwoProjectCli()
    for (const name of ['Website/General', task, other]) await cli.json('start', name, '--create')
    const started = await cli.run('start', 'Website', '--json')
    if (task.startsWith('Website/')) expect(started.status).toBe(2)
    else expect(started.json()).toMatchObject({ project: 'Blog', task: 'Website' })
  })

  test('with a probable typo is not created in a script, except with --create', async () => {
    const cli = await createTwoProjectCli()
    expect(await cli.run('start', 'desing')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/\nWrite "Design", or add --create/),
    })
    expect(await cli.json('tasks')).toHaveLength(2)
    expect(await cli.json('start', 'Webiste', '--create')).toMatchObject({ project: 'Webiste' })
  })

  test('is not created from numbers, times and references', async () => {
    const cli = await createTwoProjectCli()
    for (const typed of ['12', '9:30', '@1', '@', '~3', '@home', '~new', '…', '7.5'] as const) {
      expect(await cli.run('start', typed, '--create')).toMatchObject({ status: 2 })
      const rejected = await cli.run('start', typed)
      expect(rejected).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('Run `tt tasks` to list the tasks.'),
      })
      expect(rejected.stderr).not.toContain('--create')
    }
    expect(await cli.json('projects')).toHaveLength(2)
  })

  test('is not created from the name of a client', async () => {
    const cli = await createTwoProjectCli()
    await cli.json('clients', 'add', 'Globex')
    expect(await cli.run('start', 'globex')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('"globex" matches no task.'),
    })
    await cli.json('projects', 'add', 'Acme/Empty')
    expect(await cli.json('start', 'empty')).toMatchObject({
      client: 'Acme',
      project: 'Empty',
      task: 'General',
    })
    expect((await cli.run('start', 'Empyt/General')).stderr).toContain('typo of the project "Empty"')
  })

  test('is not created beside an archived one', async () => {
    const cli = await createTwoProjectCli()
    await cli.json('projects', 'archive', 'Website')
    for (const typed of ['Website', 'website', 'website/New'])
      expect(await cli.run('start', typed)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('archived'),
      })
    expect(await cli.run('start', 'Webiste')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is probably a typo of the project "Website"'),
    })
    const all = ['projects', 'list', '--where']
    expect(await cli.json(...all, 'active_eq=true')).toHaveLength(1)
    expect(await cli.json(...all, 'active_eq=false')).toMatchObject([{ name: 'Website' }])
  })

  test('is created after the name of a client, which is no project', async () => {
    const cli = createTestCli()
    await cli.json('add', 'Acme/Website/Design', '1h')
    expect(await cli.json('start', 'acme/Shop')).toMatchObject({
      ...{ client: 'Acme', project: 'Shop', task: 'General' },
    })
    expect(await cli.json('start', 'Website/Tests')).toMatchObject({
      ...{ client: 'Acme', project: 'Website', task: 'Tests' },
    })
    await cli.json('projects', 'add', 'Acme')
    expect(await cli.json('start', 'Acme/Calls')).toMatchObject({
      ...{ client: null, project: 'Acme', task: 'Calls' },
    })
  })

  test('of an archived client is not created; the error names the client, which restores it', async () => {
    const cli = createTestCli()
    await cli.json('add', 'Acme/Website/Design', '1h')
    await cli.json('clients', 'archive', 'Acme')
    for (const typed of ['Website', 'Website/New', 'Acme/Website', 'Acme/New/Task'])
      expect(await cli.run('start', typed)).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/^error: The client "Acme" is archived\.\n.*`tt clients restore Acme`/),
      })
    await cli.json('clients', 'restore', 'Acme')
    expect(await cli.json('start', 'Website')).toMatchObject({ client: 'Acme', task: 'Design' })
  })

  test('of a service means its default task or its only one, and is never created', async () => {
    const { cli } = await setUpService()
    for (const [typed, message] of [
      ['esign', 'matches only inside a word'],
      ['zzz', '"zzz" matches no task.'],
      ['Website', '"Website" matches several tasks'],
    ] as const) {
      const rejected = await cli.run('start', typed)
      expect(rejected).toMatchObject({ status: 2, stderr: expect.stringContaining(message) })
      expect(rejected.stderr).not.toContain('--create')
    }
    await cli.json('config', 'set', 'default_task', 'Review')
    expect(await cli.json('start', 'website')).toMatchObject({ project: 'Website', task: 'Review' })
  })
})
