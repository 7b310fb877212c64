// @module-tag slow

import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type HookInputJson, hookInput } from '../../src/records/shapes/entries.js'
import { differences } from '../support/described-output.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

type HookInput = { hook: string } & HookInputJson

/** Creates a hook from the lines of a shell script. */
function writeHook(cli: TestCli, name: string, script: string, mode = 0o755) {
  const directory = join(cli.home, 'hooks')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, name)
  writeFileSync(path, script)
  chmodSync(path, mode)
}

/** Creates hooks that store their names and inputs, and returns a function that reads and forgets them. */
function recordHooks(cli: TestCli): () => HookInput[] {
  const log = join(cli.home, 'hooks.log')
  for (const name of ['on-start', 'on-stop', 'on-change'])
    writeHook(cli, name, `#!/bin/sh\n{ printf '%s ' "$TT_HOOK"; tr -d '\\n'; echo; } >> '${log}'\n`)
  return () => {
    if (!existsSync(log)) return []
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
    writeFileSync(log, '')
    return lines
      .filter((line) => line !== '')
      .map((line) => {
        const [, hook = '', json = ''] = /^(\S+) (.*)$/.exec(line) ?? []
        expect(differences('the input of a hook', hookInput, json)).toEqual([])
        return { hook, ...JSON.parse(json) }
      })
  }
}

const called = (inputs: readonly HookInput[]) => inputs.map(({ hook, operation }) => `${hook} ${operation}`)

test('start, stop, edit and rm run their hooks with the JSON of the entry, before and after', async () => {
  const cli = createTestCli('2024-05-01T09:00:00')
  const read = recordHooks(cli)
  const started = await cli.json('start', 'Website/Design', '--notes', 'über "alles"')
  const [start, change, ...others] = read()
  expect(others).toEqual([])
  expect(start).toEqual({ hook: 'on-start', ...started, operation: 'create', before: null, after: started })
  expect(change).toEqual({ ...start, hook: 'on-change' })
  cli.setTime('2024-05-01T10:30:00')
  const stopped = await cli.json('stop')
  const [stop, ...rest] = read()
  expect(stop).toMatchObject({
    ...{ hook: 'on-stop', ...stopped, operation: 'update', after: stopped },
    before: { id: started.id, project: 'Website', running: true, time_end: null },
  })
  expect(called(rest)).toEqual(['on-change update'])
  const edited = await cli.json('edit', '@1', '--notes', 'final')
  expect(read()).toMatchObject([{ hook: 'on-change', ...edited, before: stopped, after: edited }])
  await cli.run('rm', '@1', '--yes')
  expect(read()).toMatchObject([{ hook: 'on-change', id: started.id, before: edited, after: null }])
})

test('every command that changes entries runs on-change for each of them', async () => {
  const cli = createTestCli('2024-05-01T18:00:00')
  const read = recordHooks(cli)
  const callsOf = async (...argv: string[]) => {
    expect(await cli.run(...argv)).toMatchObject({ status: 0 })
    return called(read())
  }
  const change = (operation: string) => `on-change ${operation}`
  expect(await callsOf('add', 'Website/Design', '9:00-12:00')).toEqual([change('create')])
  expect(await callsOf('edit', '@1', '--notes', 'draft')).toEqual([change('update')])
  expect(await callsOf('edit', '@1', '--notes', 'draft')).toEqual([])
  expect(await callsOf('split', '@1', '--at', '10:00')).toEqual([change('create'), change('update')])
  expect(await callsOf('join', '@1', '@2')).toHaveLength(2)
  expect(await callsOf('undo')).toHaveLength(2)
  expect(await callsOf('redo')).toHaveLength(2)
  expect(await callsOf('fill', '@1', '--after', '--yes')).toEqual([change('update')])
  expect(await callsOf('continue')).toEqual(['on-start create', change('create')])
  expect(await callsOf('cancel', '--yes')).toEqual([change('delete')])
  expect(await callsOf('undo')).toEqual(['on-start create', change('create')])
  expect(await callsOf('stop')).toEqual(['on-stop update', change('update')])
  expect(await callsOf('rm', '@1', '--yes')).toEqual([change('delete')])
  expect(await callsOf('undo', '2', '--yes')).toEqual([change('create'), 'on-start update', change('update')])
  // The first timer stops before the other one starts.
  expect(await callsOf('start', 'Website/Review')).toEqual([
    ...['on-stop update', change('update')],
    ...['on-start create', change('create')],
  ])
  expect(await callsOf('log')).toEqual([])
})

test('an import, and undoing it, run on-change once with a summary', async () => {
  const cli = createTestCli('2024-05-01T18:00:00')
  const read = recordHooks(cli)
  const row = '2024-04-01 09:00,2024-04-01 10:00,Website,Design\n'
  const file = join(cli.home, 'entries.csv')
  writeFileSync(file, `start,end,project,task\n${row.repeat(2)}`)
  expect(await cli.run('import', file, '--yes')).toMatchObject({ status: 0 })
  expect(read()).toEqual([
    { hook: 'on-change', operation: 'batch', title: 'import of entries.csv, 2 entries', count: 2 },
  ])
  await cli.run('undo', '--yes')
  expect(read()).toMatchObject([{ hook: 'on-change', operation: 'batch' }])
})

test('a change of more than 100 entries runs on-change once with a summary', async () => {
  const cli = createTestCli('2024-05-01T18:00:00')
  const row = '2024-04-01 10:00,2024-04-01 10:01,Website,Design\n'
  const file = join(cli.home, 'entries.csv')
  writeFileSync(file, `start,end,project,task\n${row.repeat(101)}`)
  await cli.run('import', file, '--yes')
  const read = recordHooks(cli)
  const ids = (await cli.json<{ id: number }[]>('log', '--since', '2024-04-01')).map(({ id }) => String(id))
  expect(await cli.run('rm', ...ids, '--yes')).toMatchObject({ status: 0 })
  expect(read()).toMatchObject([{ hook: 'on-change', operation: 'batch', count: 101 }])
})

test('an offline change runs hooks when it is saved, and not when it is sent', async () => {
  const cli = createTestCli('2024-05-01T09:00:00')
  const read = recordHooks(cli)
  // Nothing listens on the discard port.
  Object.assign(cli.env, { TT_BASE_URL: 'http://127.0.0.1:9', TT_TOKEN: 'token' })
  const started = await cli.run('start', '12')
  expect(started).toMatchObject({ status: 0, stderr: expect.stringContaining('Saved locally') })
  expect(read()).toMatchObject([
    { hook: 'on-start', operation: 'create', pending: true, local_id: '~1' },
    { hook: 'on-change' },
  ])
  await cli.run('sync')
  expect(read()).toEqual([])
})

test('--no-hooks and TT_HOOKS=0 disable hooks', async () => {
  const cli = createTestCli()
  const read = recordHooks(cli)
  await cli.run('start', 'Website/Design', '--no-hooks')
  cli.env.TT_HOOKS = '0'
  await cli.run('stop')
  expect(read()).toEqual([])
})

test('a hook gets the profile and cannot run hooks itself', async () => {
  const cli = createTestCli()
  writeHook(cli, 'on-start', '#!/bin/sh\nprintf "%s\\n" "$TT_HOOK $TT_PROFILE $TT_HOOKS [$TT_TOKEN]"\n')
  Object.assign(cli.env, { TT_BASE_URL: 'http://127.0.0.1:9', TT_TOKEN: 'secret' })
  const { stderr } = await cli.run('start', 'Website/Design', '--profile', 'local')
  expect(stderr).toContain('\non-start local 0 []\n')
})

const othersCanWrite = /was not run\. Other users can write to .*on-start\. Run `chmod go-w/

test.for<[what: string, script: string, mode: number, warning: RegExp]>([
  [
    'fails',
    '#!/bin/sh\necho first >&2\necho second >&2\nexit 3\n',
    0o755,
    /on-start failed with exit code 3: first$/m,
  ],
  ['fails silently', '#!/bin/sh\nexit 3\n', 0o755, /on-start failed with exit code 3\.$/m],
  ['ends itself', '#!/bin/sh\nkill -SEGV $$\n', 0o755, /on-start was ended by SIGSEGV\.$/m],
  ['has no interpreter', '#!/none\n', 0o755, /could not be started\. The interpreter .* does not exist\.$/m],
  ['is no program', '\u007fELF\u0000\u0001', 0o755, /on-start (could not be started|failed with exit code)/],
  [
    'is not executable',
    '#!/bin/sh\n',
    0o644,
    /was not run\. .*on-start is not executable\. Run `chmod \+x .*on-start`\.$/m,
  ],
  ['is writable by others', '#!/bin/sh\n', 0o757, othersCanWrite],
  ['is writable by its group', '#!/bin/sh\n', 0o775, othersCanWrite],
  ['is empty', '', 0o755, /^Started/m],
])('a hook that %s does not fail the command', async ([, script, mode, warning], { skip }) => {
  // Root may run every file that has any permission to execute, but none without.
  skip(process.platform === 'win32', 'modes and scripts are those of Unix')
  const cli = createTestCli()
  writeHook(cli, 'on-start', script, mode)
  const started = await cli.run('start', 'Website/Design')
  expect(started.status).toBe(0)
  expect(started.stderr).toMatch(warning)
  expect(await cli.json('status')).toMatchObject({ running: true })
})

test.each<[what: string, create: (path: string) => void, reason: RegExp]>([
  ['a directory', (path) => mkdirSync(path), /on-start is not a file\.$/m],
  [
    'a link to a missing file',
    (path) => symlinkSync('missing', path),
    /on-start is a link to a missing file\.$/m,
  ],
  ['a link to itself', (path) => symlinkSync('on-start', path), /on-start cannot be read: .*\.$/m],
])('a hook that is %s is named and does not run', async (_, create, reason) => {
  const cli = createTestCli()
  mkdirSync(join(cli.home, 'hooks'))
  create(join(cli.home, 'hooks', 'on-start'))
  const { status, stderr } = await cli.run('start', 'Website/Design')
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(reason) })
  expect(stderr).toContain('The hook on-start was not run.')
})

test('hooks in a directory that others can write to do not run', async () => {
  const cli = createTestCli()
  const read = recordHooks(cli)
  chmodSync(join(cli.home, 'hooks'), 0o777)
  const { stderr } = await cli.run('start', 'Website/Design')
  expect(stderr).toMatch(/The hook on-start was not run\. Other users can write to .*hooks\./)
  expect(read()).toEqual([])
})

test('hooks of a repository and of .tt.json do not run', async () => {
  const cli = createTestCli()
  const marker = join(cli.home, 'ran')
  // The working directory of the tests is the home.
  cli.env.TT_HOME = join(cli.home, 'configuration')
  writeHook(cli, 'on-start', `#!/bin/sh\ntouch '${marker}'\n`)
  writeFileSync(join(cli.home, '.tt.json'), JSON.stringify({ task: 'Website/Design', hooks: 'hooks' }))
  const { stderr } = await cli.run('start')
  expect(stderr).toContain('Ignored in')
  expect(existsSync(marker)).toBe(false)
})

test('the output of a hook is a message, shortened and without control characters, and never in --json', async () => {
  const cli = createTestCli()
  writeHook(
    cli,
    'on-start',
    '#!/bin/sh\nprintf "hello \\033[31m\\n"\nhead -c 3000000 /dev/zero | tr "\\0" x\n',
  )
  const started = await cli.run('start', 'Website/Design')
  expect(started.stderr).toContain('\nhello \\x1b[31m\nxxx')
  expect(started.stderr).toMatch(/x…\n$/)
  expect(started.stderr.length).toBeLessThan(6000)
  const again = await cli.run('start', 'Website/Review', '--json')
  expect(JSON.parse(again.stdout)).toMatchObject({ task: 'Review' })
  expect(again.stderr).not.toContain('hello')
  expect((await cli.run('start', 'Website/Design', '--quiet')).stderr).toBe('')
})

test('a hook that closes its input early and one that never reads it get a long entry', async () => {
  const cli = createTestCli()
  // With both versions, the JSON is longer than the buffer of a pipe.
  const notes = 'x'.repeat(60_000)
  writeHook(cli, 'on-start', '#!/bin/sh\nexec <&-\nexit 0\n')
  writeHook(cli, 'on-change', '#!/bin/sh\nexit 0\n')
  const started = await cli.run('start', 'Website/Design', '-n', notes)
  expect(started.status).toBe(0)
  expect(started.stderr).not.toContain('hook')
})

test('a hook that hangs is ended with its child processes, and does not run again for the same command', async () => {
  const cli = createTestCli()
  const pids = join(cli.home, 'pids')
  writeHook(
    cli,
    'on-change',
    `#!/bin/sh\ntrap '' TERM\nsleep 600 &\necho $! $$ >> '${pids}'\nwait\nsleep 600\n`,
  )
  await cli.run('start', 'Website/Design', '--no-hooks')
  const started = await cli.run('start', 'Website/Review')
  expect(started.status).toBe(0)
  expect(started.stderr).toContain('The hook on-change was ended with its child processes')
  const lines = readFileSync(pids, 'utf8').trim().split('\n')
  expect(lines).toHaveLength(1)
  for (const pid of lines.join(' ').split(' ')) await expect.poll(() => isRunning(Number(pid))).toBe(false)
})

test('a child process that outlives its hook and holds its output open does not delay the command', async () => {
  const cli = createTestCli()
  const pidFile = join(cli.home, 'pid')
  writeHook(cli, 'on-start', `#!/bin/sh\nsleep 600 &\necho $! > '${pidFile}'\necho done\n`)
  const started = await cli.run('start', 'Website/Design')
  const pid = Number(readFileSync(pidFile, 'utf8'))
  try {
    expect(started.stderr).toContain('\ndone\n')
    expect(isRunning(pid)).toBe(true)
  } finally {
    process.kill(pid, 'SIGKILL')
  }
})

/** Whether a process runs; an ended one that its parent has not read yet does not. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    if (process.platform !== 'linux') return true
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
