import { execFileSync } from 'node:child_process'
import { mkdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFileCredentials } from '../../../src/api-client/auth/credentials/credentials.js'
import { branchNotes, branchPattern } from '../../../src/config/branch-notes.js'
import { readDirectoryFile } from '../../../src/config/directory-file.js'
import { readProfiles } from '../../../src/config/profiles.js'
import { readHolidays } from '../../../src/config/settings/holidays.js'
import { settingsPath, storedValues } from '../../../src/config/settings/settings.js'
import { temporaryDirectory } from '../../support/process.js'

interface Reader {
  /** The configuration file that it reads, in the directory `home`. */
  path(home: string): string
  /** Returns the reason for which the file is not used; undefined for a file that is used. */
  problem(home: string): Promise<string | undefined> | string | undefined
  limitBytes: number
  /** A valid text of exactly that many bytes. */
  valid(bytes: number): string
  /** Whether a symlink is rejected, also one to a regular file. */
  rejectsLinks?: boolean
}

const pathsIn = (home: string) => ({ config: home, data: home, state: home })

const messageOf = async (read: () => unknown): Promise<string | undefined> => {
  try {
    await read()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const kib = 1024

const readers: Record<string, Reader> = {
  'config.json': {
    path: (home) => settingsPath(pathsIn(home)),
    problem: (home) => messageOf(() => storedValues(pathsIn(home))),
    limitBytes: 64 * kib,
    valid: (bytes) => '{}'.padEnd(bytes),
  },
  'profiles.json': {
    path: (home) => join(home, 'profiles.json'),
    problem: (home) => messageOf(() => readProfiles(pathsIn(home))),
    limitBytes: 64 * kib,
    valid: (bytes) => '{"profiles":{}}'.padEnd(bytes),
  },
  '.tt.json': {
    path: (home) => join(home, '.tt.json'),
    problem: (home) => readDirectoryFile(home)?.problem,
    limitBytes: 64 * kib,
    valid: (bytes) => '{"task":"Design"}'.padEnd(bytes),
  },
  'the holidays file': {
    path: (home) => join(home, 'holidays.ics'),
    problem: (home) => messageOf(() => readHolidays(join(home, 'holidays.ics'), {})),
    limitBytes: 256 * kib,
    valid: (bytes) => 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n'.padEnd(bytes, '\r\n'),
  },
  'the credentials file': {
    path: (home) => openFileCredentials('acme', pathsIn(home)).location,
    problem: (home) => messageOf(() => openFileCredentials('acme', pathsIn(home)).read()),
    limitBytes: 64 * kib,
    valid: (bytes) => '{"method":"key","key":"secret"}'.padEnd(bytes),
    rejectsLinks: true,
  },
}

function place(reader: Reader): { home: string; path: string } {
  const home = temporaryDirectory()
  const path = reader.path(home)
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
  return { home, path }
}

const each = Object.entries(readers)

test.each(each)('reads %s only up to its size limit', async (_, reader) => {
  const { home, path } = place(reader)
  writeFileSync(path, reader.valid(reader.limitBytes), { mode: 0o600 })
  expect(await reader.problem(home)).toBeUndefined()
  writeFileSync(path, `${reader.valid(reader.limitBytes)} `)
  expect(await reader.problem(home)).toContain(`is larger than ${reader.limitBytes / kib} KiB`)
})

test.each(each)('rejects %s when it is a FIFO, a directory or a symlink to /dev/zero', async (_, reader) => {
  const { home, path } = place(reader)
  execFileSync('mkfifo', ['-m', '600', path])
  expect(await reader.problem(home)).toContain('is not a regular file')
  rmSync(path)
  mkdirSync(path, { mode: 0o700 })
  expect(await reader.problem(home)).toContain('is not a regular file')
  rmdirSync(path)
  symlinkSync('/dev/zero', path)
  expect(await reader.problem(home)).toContain(reader.rejectsLinks ? 'is a link' : 'is not a regular file')
})

test.each(each.filter(([, { rejectsLinks }]) => !rejectsLinks))(
  'follows a symlink in place of %s',
  async (_, reader) => {
    const { home, path } = place(reader)
    writeFileSync(join(home, 'elsewhere'), reader.valid(200))
    symlinkSync(join(home, 'elsewhere'), path)
    expect(await reader.problem(home)).toBeUndefined()
  },
)

test('finds no branch when .git/HEAD is a FIFO', () => {
  const home = temporaryDirectory()
  mkdirSync(join(home, '.git'))
  execFileSync('mkfifo', [join(home, '.git', 'HEAD')])
  expect(branchNotes(home, branchPattern('(.)') as RegExp)).toBeUndefined()
})
