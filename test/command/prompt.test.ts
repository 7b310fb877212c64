import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createTestCli } from '../support/test-cli.js'

describe('tt status --template', () => {
  test('prints the running timer on one line, and nothing on stderr', async () => {
    const cli = createTestCli('2024-05-01T09:30:00')
    await cli.json('start', 'Acme/Website/Design', '-n', 'first\npage')
    await cli.run('config', 'set', 'target.daily', '8h')
    cli.setTime('2024-05-01T10:54:00')
    for (const cached of [['--cached'], []])
      expect(
        await cli.run('status', ...cached, '--template', '{label} {duration}, {from}: {notes}{{}}'),
      ).toMatchObject({
        status: 0,
        stdout: 'Acme / Website / Design 1h 24m, 09:30: first\\npage{}\n',
        stderr: '',
      })
  })

  test('prints nothing without a timer or without any data', async () => {
    const cli = createTestCli()
    const nothing = { status: 0, stdout: '', stderr: '' }
    expect(await cli.run('status', '--cached', '--template', '{label}')).toMatchObject(nothing)
    expect(await cli.run('status', '--cached', '--template', '{label')).toMatchObject({
      status: 2,
      stdout: '',
    })
    expect(await cli.run('status', '--json', '--template', '{label}')).toMatchObject({ status: 2 })
    await cli.json('start', 'Website/Design')
    await cli.json('stop')
    expect(await cli.run('status', '--cached', '--template', '{label}')).toMatchObject(nothing)
    expect(await cli.run('status', '--template', '{label}')).toMatchObject(nothing)
    // In a terminal, a message explains the empty output.
    expect(await cli.runInTerminal(80, 'status', '--template', '{label}')).toMatchObject({
      stdout: '',
      stderr: 'No timer is running.\n',
    })
  })
})

describe('the prompt file', () => {
  test('contains the running timer and its start', async () => {
    const cli = createTestCli('2024-05-01T09:30:00')
    const file = join(cli.home, 'timer')
    const line = () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)
    expect((await cli.json('config', 'path', '--prompt')).path).toBe(file)

    await cli.json('start', 'Acme/Website/Design')
    expect(line()).toBe('Acme / Website / Design since 09:30\n')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    cli.setTime('2024-05-01T10:00:00')
    await cli.json('edit', '@', '--from', '9:15')
    expect(line()).toBe('Acme / Website / Design since 09:15\n')
    await cli.json('start', 'Website/Review')
    expect(line()).toBe('Acme / Website / Review since 10:00\n')
    await cli.json('undo')
    expect(line()).toBe('Acme / Website / Design since 09:15\n')
    await cli.json('stop')
    expect(line()).toBeUndefined()
    await cli.json('continue')
    expect(line()).toBe('Acme / Website / Design since 10:00\n')
    await cli.json('cancel', '--yes')
    expect(line()).toBeUndefined()
    cli.setTime('2024-05-02T10:00:00')
    await cli.json('start', 'design', '--at', 'yesterday 17:00')
    expect(line()).toBe('Acme / Website / Design since 2024-05-01 17:00\n')
  })

  test('is rewritten only when it is wrong', async () => {
    const cli = createTestCli()
    const file = join(cli.home, 'timer')
    await cli.json('start', 'Website/Design')
    const before = statSync(file)
    await cli.json('status')
    expect(statSync(file)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })
    rmSync(file)
    await cli.json('status')
    expect(readFileSync(file, 'utf8')).toBe('Website / Design since 09:30\n')
  })

  test('is written to prompt_file, or not at all', async () => {
    const cli = createTestCli()
    cli.env.HOME = cli.home
    await cli.json('config', 'set', 'prompt_file', '~/.tt-timer')
    await cli.json('start', 'Website/Design')
    expect(readFileSync(join(cli.home, '.tt-timer'), 'utf8')).toBe('Website / Design since 09:30\n')
    // It can be chosen again.
    await cli.json('config', 'set', 'prompt_file', '~/.tt-timer')
    await cli.json('stop')
    await cli.json('config', 'set', 'prompt_file', 'none')
    await cli.json('start', 'Website/Design')
    for (const name of ['.tt-timer', 'timer']) expect(existsSync(join(cli.home, name))).toBe(false)
    expect(await cli.json('config', 'path', '--prompt')).toBeNull()
    expect(await cli.run('config', 'set', 'prompt_file', 'timer')).toMatchObject({ status: 2 })
  })

  test('does not touch a file of the user at prompt_file', { tags: 'slow' }, async () => {
    const cli = createTestCli()
    cli.env.HOME = cli.home
    const notes = join(cli.home, 'notes.txt')
    writeFileSync(notes, 'my notes\n')
    expect(await cli.run('config', 'set', 'prompt_file', notes)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`${notes} already exists, and tt did not write it.`),
    })
    // The file may also be created, or the setting edited, later.
    writeFileSync(join(cli.home, 'config.json'), JSON.stringify({ prompt_file: '~/notes.txt' }))
    for (const words of [['start', 'Website/Design'], ['status'], ['stop']]) await cli.json(...words)
    expect(readFileSync(notes, 'utf8')).toBe('my notes\n')
    expect((await cli.run('doctor')).stdout).toContain(`The prompt file ${notes} is not updated`)
    const backup = join(cli.home, 'backup.tar.gz')
    await cli.json('backup', backup)
    await cli.json('restore', backup, '--yes')
    expect(readFileSync(notes, 'utf8')).toBe('my notes\n')
  })

  test.each(['a directory', 'nowhere'])('fails no command when it cannot be written: %s', async (place) => {
    const cli = createTestCli()
    if (place === 'a directory') mkdirSync(join(cli.home, 'timer'))
    else await cli.json('config', 'set', 'prompt_file', join(cli.home, 'nonesuch', 'timer'))
    for (const word of [['start', 'Website/Design'], ['status'], ['stop']])
      expect(await cli.run(...word, '-q')).toMatchObject({ status: 0, stderr: '' })
  })
})

describe('notes_from_branch', () => {
  test('sets the notes of tt start, unless -n or the directory file does', async () => {
    const cli = createTestCli()
    const head = (text: string) => {
      mkdirSync(join(cli.home, '.git'), { recursive: true })
      writeFileSync(join(cli.home, '.git', 'HEAD'), text)
    }
    const notes = async (...words: string[]) => (await cli.json('start', 'Website/Design', ...words)).notes
    head('ref: refs/heads/feature/ABC-12-first-page\n')
    expect(await notes()).not.toBe('ABC-12')
    await cli.json('config', 'set', 'notes_from_branch', '^feature/([A-Z]+-\\d+)')
    expect(await notes()).toBe('ABC-12')
    expect(await notes('-n', 'typed')).toBe('typed')
    writeFileSync(join(cli.home, '.tt.json'), '{"notes": "of the tree"}')
    expect(await notes()).toBe('of the tree')
  })

  test('rejects an invalid pattern, and an invalid one in the settings file fails no start', async () => {
    const cli = createTestCli()
    expect(await cli.run('config', 'set', 'notes_from_branch', 'feature/.*')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('one group'),
    })
    for (const file of ['{"notes_from_branch": "("}', '{"notes_from_branch": 1}']) {
      writeFileSync(join(cli.home, 'config.json'), file)
      expect(await cli.run('start', 'Website/Design')).toMatchObject({ status: 0 })
    }
  })
})
