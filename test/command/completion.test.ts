import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { splitCommandLine } from '../support/examples.js'
import { readFiles } from '../support/home-files.js'
import { preparedCli } from '../support/prepared-cli.js'
import { dropRequest } from '../support/proxy.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { setUpService } from './service-fixtures.js'

/** Completes the last argument, and expects exit 0 without messages. */
async function complete(cli: TestCli, ...words: string[]) {
  const outcome = await cli.run('__complete', '--', ...words)
  expect({ words, ...outcome }).toMatchObject({ words, status: 0, stderr: '' })
  const lines = outcome.stdout.split('\n').filter((line) => line !== '')
  const pairs = lines
    .filter((line) => line.includes('\t'))
    .map((line) => line.split('\t') as [string, string])
  return {
    values: pairs.map(([value]) => value),
    /** Descriptions by value. */
    descriptions: new Map(pairs),
    /** Directives for the shell: `files` completes file names, `open` adds no space. */
    directives: lines.filter((line) => !line.includes('\t')),
  }
}

/** Creates a `TestCli` with entries, a running timer and an expense. */
const createTrackedCli = preparedCli('2024-05-03T18:00:00', async (cli) => {
  await cli.json('add', 'Acme/Website/Design', '--from', '9:00', '--for', '1h', '-n', 'first page')
  await cli.json('add', 'Acme/Website/Review', '--from', '10:00', '--for', '1h')
  await cli.json('add', 'Acme/Website/Review', '--from', '11:00', '--for', '1h', '-n', 'second "page"')
  await cli.json('add', 'Internal/Support', '--from', '12:00', '--for', '1h')
  await cli.json('start', 'Internal/Support', '--at', '17:30')
  for (const type of ['Travel', 'Meals']) await cli.json('admin', 'expense-types', 'add', type)
  await cli.json('expenses', 'add', '12.50', '--type', 'Travel', '-n', 'train')
})

const profiles = {
  profiles: {
    acme: {
      base_url: 'https://acme.example.com/api/v1',
      auth_url: 'https://acme.example.com',
      method: 'oauth',
      storage: 'file',
      state: 'acme-1',
    },
  },
}

describe('the completions of', () => {
  test('command lines', { tags: 'slow' }, async () => {
    const cli = await createTrackedCli()
    writeFileSync(join(cli.home, 'profiles.json'), JSON.stringify(profiles))
    for (const [line, values] of [
      ["expenses ''", ['list', 'report', 'add', 'edit', 'rm', 'types', 'help']],
      ['admin user de', ['deactivate']],
      ['help exit', ['exit-codes']],
      ['help expenses a', ['add']],
      ["help start ''", []],
      ['schema lo', ['log', 'login', 'logout']],
      ['schema err', ['error']],
      ['schema expenses a', ['add']],
      ['schema log --l', ['--line']],
      ["nonesuch ''", []],
      ["start ''", ['Internal/Support', 'Acme/Website/Review', 'Acme/Website/Design']],
      ['start site/re', ['Acme/Website/Review']],
      ["start 'des web'", ['Acme/Website/Design']],
      ['start i', ['Internal/Support']],
      ['start nonesuch', []],
      ['projects rename web', ['Website']],
      ['projects merge Website int', ['Internal']],
      ['clients merge ac', ['Acme']],
      ['tasks merge supp', ['Internal/Support']],
      ["start Internal/Support ''", expect.arrayContaining(['--at', '--notes'])],
      ['edit --task supp', ['Internal/Support']],
      ["log --task ''", ['Design', 'Review', 'Support']],
      ['log --task=!des', ['--task=!Design']],
      ["log --project ''", ['Internal', 'Website']],
      ["log --client ''", ['Acme']],
      ["expenses --type ''", ['Meals', 'Travel']],
      ['expenses add 1 --type t', ['Travel']],
      ["add x -n ''", ['second "page"', 'first page']],
      ["rm ''", ['@', '@1', '@2', '@3', '5', '4', '3', '2', '1']],
      ["rm @1 5 ''", ['@', '@2', '@3', '4', '3', '2', '1']],
      ['rm @2 design', ['1']],
      ['continue first', ['1']],
      ["expenses rm ''", ['1']],
      ['log --pro', ['--project', '--profile']],
      ['log --project x --pro', ['--project', '--profile']],
      ['log --since x --since', []],
      ['log --since=x --sin', []],
      ['stop -n x --no', ['--no-input', '--no-color', '--no-hooks']],
      ['stop -nx --note', []],
      ['stop -qn --at --q', []],
      ['expenses --typ', ['--type']],
      ['start -- --n', []],
      ['start -- supp', ['Internal/Support']],
      ['--json sta', ['start', 'status']],
      ['--profile local start supp', ['Internal/Support']],
      ['log --since la', ['last week', 'last month', 'last quarter', 'last year']],
      ['start --at -1', ['-15m', '-1h']],
      ['report --by=day,week,we', ['--by=day,week,weekday']],
      ['expenses report --by day,t', ['day,type']],
      ['report --chart --gr', ['--grid']],
      ['import --format t', ['timewarrior', 'timeclock', 'toggl', 'tt']],
      ['import --columns start=From,pr', ['start=From,project=']],
      ['report --compare last-', ['last-week', 'last-month', 'last-quarter', 'last-year']],
      ['report --round 15m', ['15m', '15m:up', '15m:down']],
      ["completion ''", ['bash', 'zsh', 'fish', 'powershell']],
      ['config set target.', expect.arrayContaining(['target.daily', 'target.sunday'])],
      ['config get rate.A', ['rate.Acme', 'rate.Acme/Website']],
      ['config set week_start s', ['saturday', 'sunday']],
      ['config set working_days mon,t', ['mon,tue', 'mon,thu']],
      ["config set entry_limit ''", ['10h', '12h']],
      ["config set nonesuch ''", []],
      ["profiles use ''", ['local', 'acme']],
      ['status --profile a', ['acme']],
      ["start --profile acme ''", []],
      ["start --profile nonesuch ''", []],
      ['api P', ['POST', 'PATCH', 'PUT']],
    ] as const) {
      expect((await complete(cli, ...splitCommandLine(line))).values).toEqual(values)
    }
  })

  test('commands, options and records have descriptions', async () => {
    const cli = await createTrackedCli()
    expect((await complete(cli, 'sto')).descriptions.get('stop')).toBe('stop the running timer')
    expect((await complete(cli, 'stop', '--at')).descriptions.get('--at')).toBe('end time (default: now)')
    const { descriptions } = await complete(cli, 'rm', '')
    expect(descriptions.get('@')).toBe('since 2024-05-03 17:30 Internal / Support')
    expect(descriptions.get('@2')).toBe('2024-05-03 11:00–12:00 Acme / Website / Review: second "page"')
    expect((await complete(cli, 'expenses', 'rm', '')).descriptions.get('1')).toBe(
      '2024-05-03 12.50 EUR Travel train',
    )
  })

  test('file names are left to the shell, and an open list gets no space', async () => {
    const cli = createTestCli()
    const files = ['report -o x', 'log --output x', 'report --output=x', 'config set holidays_file x']
    files.push('import x', 'import a x', 'import a --map x', 'import a --map-template x')
    for (const line of files)
      expect(await complete(cli, ...line.split(' '))).toMatchObject({ values: [], directives: ['files'] })
    expect(await complete(cli, 'report', '--entries', '')).toMatchObject({ values: ['all', 'none'] })
    expect(await complete(cli, 'report', '--by', 'day,')).toMatchObject({ directives: ['open'] })
    expect(await complete(cli, 'serve', '--database', '')).toMatchObject({ directives: ['open'] })
  })

  test('a task with an ambiguous name are its ID', { tags: 'slow' }, async () => {
    const cli = createTestCli()
    await cli.json('add', 'Website/Design', '--from', '8:00', '--for', '1h', '--create')
    await cli.json('add', 'Acme/Website/Design', '--from', '8:00', '--for', '1h', '--create')
    for (const client of ['-dash', '~root', 'two  spaces']) {
      await cli.run('projects', 'add', '--', `${client}/App`)
      await cli.run('tasks', 'add', '--', `${client}/App/Test`)
    }
    const { values, descriptions } = await complete(cli, 'start', '')
    expect(values).toEqual(['1', 'Acme/Website/Design', '3', '5', '4'])
    expect(descriptions.get('1')).toBe('Website / Design')
    expect((await complete(cli, 'start', 'root')).values).toEqual(['4'])
    for (const value of values) expect(await cli.run('start', value, '-q')).toMatchObject({ status: 0 })
  })

  test('names exclude archived ones', async () => {
    const cli = await createTrackedCli()
    await cli.json('admin', 'projects', 'archive', 'Website')
    await cli.json('admin', 'expense-types', 'archive', 'Meals')
    expect((await complete(cli, 'start', '')).values).toEqual(['Internal/Support'])
    expect((await complete(cli, 'expenses', '--type', '')).values).toEqual(['Travel'])
  })
})

describe('completion', () => {
  const lines = [
    [''],
    ['start', ''],
    ['rm', ''],
    ['log', '--project', ''],
    ['sync', 'retry', ''],
    ['profiles', 'use', ''],
  ]

  test('creates no files in an empty home', async () => {
    const cli = createTestCli()
    for (const line of lines) await complete(cli, ...line)
    expect(readdirSync(cli.home)).toEqual([])
  })

  test('changes no files, whether or not the databases were closed cleanly', async () => {
    const cli = await createTrackedCli()
    // Without its write-ahead log, a database is as after a clean close: no file may be created next to it.
    const closedCli = createTestCli()
    ;(await openSqlite(join(cli.home, 'workspace.db'))).close()
    cpSync(join(cli.home, 'workspace.db'), join(closedCli.home, 'workspace.db'))
    for (const { home, run, ...rest } of [cli, closedCli]) {
      const before = contentOf(home)
      for (const line of lines) await complete({ home, run, ...rest }, ...line)
      expect(contentOf(home)).toEqual(before)
    }
  })

  test.each([
    ['is no database', 'workspace.db', 'no database, but as long as one would be\n'.repeat(100)],
    ['is empty', 'workspace.db', ''],
    ['is no JSON', 'profiles.json', '{'],
    ['is no JSON', '.tt.json', '{'],
  ])('prints no error for a file that %s: %s', async (_, file, content) => {
    const cli = createTestCli()
    writeFileSync(join(cli.home, file), content)
    expect((await complete(cli, 'start', '')).values).toEqual([])
    expect((await complete(cli, 'sto')).values).toEqual(['stop'])
    expect(readdirSync(cli.home)).toEqual([file])
  })

  test.each([[[]], [['__complete']], [['--nonesuch']], [['--', '--', '--']]])(
    'succeeds for the invalid command line %j',
    async (words) => {
      expect(await createTestCli().run('__complete', ...words)).toMatchObject({ status: 0, stderr: '' })
    },
  )
})

/** Returns the content of each file by path. The shared memory of SQLite counts as empty. */
const contentOf = (home: string) =>
  [...readFiles(home)].map(([name, content]) => [
    name,
    name.endsWith('-shm') ? '' : content.toString('base64'),
  ])

describe('with a service', () => {
  test('completions come from the cache, without a request', { tags: 'slow' }, async () => {
    const { cli, proxy } = await setUpService()
    await cli.json('add', 'Review', '--from', '2024-05-08T08:00Z', '--for', '1h', '-n', 'here')
    await cli.json('log')
    proxy.fault = dropRequest
    await cli.json('add', 'Review', '--from', '2024-05-08T09:00Z', '--for', '1h', '-n', 'offline')
    await cli.json('expenses', 'add', '5', '--type', 'Travel', '--currency', 'EUR')
    proxy.requests.splice(0)
    expect((await complete(cli, 'start', 'web')).values[0]).toBe('Website/Review')
    const entries = await complete(cli, 'rm', '')
    expect(entries.values).toContain('~2')
    expect(entries.descriptions.get('~2')).toMatch(/2024-05-08 11:00–12:00 Website \/ Review: offline$/)
    expect(entries.descriptions.get('@1')).toBe(entries.descriptions.get('~2'))
    expect((await complete(cli, 'log', '--project', 'web')).values).toEqual(['Website'])
    expect((await complete(cli, 'expenses', '--type', '')).values).toEqual(['Travel'])
    expect((await complete(cli, 'expenses', 'rm', '')).values).toEqual(['~3'])
    expect((await complete(cli, 'sync', 'discard', '')).descriptions).toEqual(
      new Map([
        ['2', 'create entry ~2, waiting'],
        ['3', 'create expense ~3, waiting'],
      ]),
    )
    expect(proxy.requests).toEqual([])
  })

  test('without a cache there are no completions, requests or files', async () => {
    const { cli, proxy } = await setUpService({ hasCache: false })
    for (const line of [
      ['start', ''],
      ['rm', ''],
      ['log', '--project', ''],
    ])
      expect((await complete(cli, ...line)).values).toEqual([])
    expect(proxy.requests).toEqual([])
    expect(existsSync(join(cli.home, 'profiles'))).toBe(false)
  })

  test('tasks are sorted by the frequency that the service reports, then by that in the cache', async () => {
    const { cli, sendAsOtherClient } = await setUpService()
    const links = await cli.json<{ id: number; label: string }[]>('tasks')
    for (const hour of ['06', '07'])
      await cli.json('add', 'Website/Review', '--from', `2024-05-07T${hour}:00Z`, '--for', '5m')
    expect((await complete(cli, 'start', 'web')).values).toEqual(['Website/Review', 'Website/Design'])

    const design = links.find(({ label }) => label === 'Website / Design')?.id
    for (const hour of ['06', '07', '08'])
      await sendAsOtherClient('POST', '/timesheets', {
        time_start: `2024-05-08T${hour}:00:00Z`,
        time_end: `2024-05-08T${hour}:30:00Z`,
        task_link_id: design,
      })
    await cli.json('frequent')
    expect((await complete(cli, 'start', 'web')).values).toEqual(['Website/Design', 'Website/Review'])
  })
})

describe('tt completion', () => {
  test.each([
    ['bash', 'tt.bash'],
    ['zsh', '_tt'],
    ['fish', 'tt.fish'],
    ['powershell', 'tt.ps1'],
  ])('prints the script for %s and where to put it', async (shell, file) => {
    const script = readFileSync(new URL(`../../completions/${file}`, import.meta.url), 'utf8')
    const cli = createTestCli()
    expect(await cli.run('completion', shell)).toMatchObject({
      status: 0,
      stdout: script,
      stderr: expect.stringContaining(`tt completion ${shell} > `),
    })
    expect((await cli.runInTerminal(80, 'completion', shell)).stdout).toBe(script)
    expect(await cli.run('completion', shell, '-q')).toMatchObject({ stdout: script, stderr: '' })
    expect(await cli.json('completion', shell)).toEqual({ shell, script })
  })
})
