import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { Script } from 'node:vm'
import { expect, test } from 'vitest'
import { cleanEnvironment, root, run, temporaryDirectory } from '../support/process.js'
import { startTeam } from '../support/team.js'

const idle = 'No timer is running.'

/** Creates a copy of the package with an empty cache and home. */
function install() {
  const home = temporaryDirectory()
  const packageDirectory = join(home, 'package')
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(root, part), join(packageDirectory, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(packageDirectory, 'node_modules'))
  const cache = join(home, 'cache')
  const env = cleanEnvironment({ TT_HOME: join(home, 'tt'), XDG_CACHE_HOME: cache })
  const startWith = (more: Record<string, string>, ...argv: string[]) =>
    run(process.execPath, ['--profile-deserialization', join(packageDirectory, 'bin', 'tt.js'), ...argv], {
      env: { ...env, ...more },
    })
  const start = (...argv: string[]) => startWith({}, ...argv)
  const build = () =>
    join(cache, 'tt', readdirSync(join(cache, 'tt')).find((name) => name.endsWith(process.versions.v8)) ?? '')
  const directory = (command = 'status') => join(build(), command)
  const recordFile = () => join(directory(), 'record.json')
  return {
    cache,
    start,
    startWith,
    /** Returns the directory of this build. */
    build,
    /** Returns the directory of a command within it. */
    directory,
    /** Returns the path of the source of a pack. */
    source: (pack: string) => join(packageDirectory, 'dist', `${pack}.cjs`),
    /** Returns the path of the compiled code of a pack. */
    code: (pack: string, command?: string) => join(directory(command), pack),
    record: () => JSON.parse(readFileSync(recordFile(), 'utf8')),
    writeRecord: (record: unknown) => writeFileSync(recordFile(), JSON.stringify(record)),
    /** Runs `tt status --cached` and returns the last line that it prints, and whether compiled code of tt was loaded. */
    async status() {
      const { status, stdout, stderr } = await start('status', '--cached')
      const sizes = [...stdout.matchAll(/\[Deserializing from (\d+) bytes/g)].map(([, bytes]) =>
        Number(bytes),
      )
      const text = `${stderr}${stdout.replace(/^\[.*\n/gm, '')}`.trim().split('\n').at(-1)
      return { status, text, isCompiled: sizes.some((bytes) => bytes > 60_000) }
    },
  }
}

type Installed = ReturnType<typeof install>

/** Returns compiled code of another program. V8 accepts it because it compares only the length of the source. */
function compileOtherProgram(source: string): Buffer {
  const text = '(function(){process.stdout.write("another program\\n");process.exit(0)})'
  const script = new Script(text.padEnd(readFileSync(source).length))
  return script.createCachedData()
}

/** Returns the metadata of a file in the format of the record. */
function metadataOf(file: string): string {
  const { size, mtimeMs, ctimeMs } = statSync(file)
  return `${size} ${mtimeMs} ${ctimeMs}`
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

/** Replaces the content of a file and restores its time, to the nanosecond: `utimesSync` would round it. */
function replaceWithSameTime(file: string, content: string | Buffer) {
  const reference = `${file}.time`
  execFileSync('touch', ['-r', file, reference])
  writeFileSync(file, content)
  execFileSync('touch', ['-r', reference, file])
  rmSync(reference)
}

test('the second run of a command stores its functions, and later runs use them', async () => {
  const { status, directory } = install()
  expect(await status()).toMatchObject({ status: 0, isCompiled: false })
  expect(readdirSync(directory())).toEqual([])
  expect(await status()).toMatchObject({ status: 0, isCompiled: false })
  expect(await status()).toEqual({ status: 0, text: idle, isCompiled: true })
  expect(statSync(directory()).mode & 0o777).toBe(0o700)
  expect(readdirSync(directory())).toEqual(expect.arrayContaining(['status', 'record.json']))
  for (const file of readdirSync(directory()))
    expect(statSync(join(directory(), file)).mode & 0o777).toBe(0o600)
})

test('each command stores its own functions once, and a command that fails stores none', async () => {
  const { start, build, code } = install()
  for (const task of ['Website/Design', 'Website/Review']) {
    expect(await start('start', task)).toMatchObject({ status: 0 })
    expect(await start('stop')).toMatchObject({ status: 0 })
    expect((await start('nonesuch')).status).toBe(2)
    expect((await start('show', '999')).status).toBe(3)
    expect(await start('--help')).toMatchObject({ status: 0 })
  }
  expect(readdirSync(build()).sort()).toEqual(['other', 'start', 'stop'])
  const { size, mtimeMs } = statSync(code('timer', 'start'))
  expect(statSync(code('timer', 'stop')).size).not.toBe(size)
  await start('start', 'Website/Design')
  expect(statSync(code('timer', 'start')).mtimeMs).toBe(mtimeMs)
})

test('later runs use the functions that a command over the network has compiled', async () => {
  const { startWith } = install()
  const { serveProcess, tokens } = await startTeam(1)
  const service = { TT_BASE_URL: serveProcess.url, TT_TOKEN: tokens[0] ?? '' }
  for (let run = 1; run <= 2; run++) expect(await startWith(service, 'projects')).toMatchObject({ status: 0 })
  const third = await startWith(service, 'projects')
  expect(third).toMatchObject({ status: 0, stdout: expect.stringContaining('Website') })
  expect(third.stdout).toContain('[Deserializing from')
  expect(third.stdout).not.toContain('[Cached code failed check')
})

test('compiled code that V8 rejects is replaced', async () => {
  const { start, startWith } = install()
  const otherFlags = { NODE_OPTIONS: '--jitless' }
  for (let run = 1; run <= 2; run++)
    expect(await startWith(otherFlags, 'status', '--cached')).toMatchObject({ status: 0 })
  expect((await start('status', '--cached')).stdout).toContain('[Cached code failed check')
  expect((await start('status', '--cached')).stdout).not.toContain('[Cached code failed check')
})

test('the package contains no compiled JavaScript', () => {
  const files = readdirSync(join(root, 'dist'))
  expect(files.filter((file) => !/^([\w-]+\.cjs|LICENSES\.txt|packages\.json|jq\.wasm)$/.test(file))).toEqual(
    [],
  )
})

const tamperings: [string, (tt: Installed) => void][] = [
  [
    'that was replaced',
    ({ code, source }) => writeFileSync(code('status'), compileOtherProgram(source('status'))),
  ],
  [
    'that was replaced, with size and time as before',
    ({ code, source }) => {
      const { size } = statSync(code('status'))
      const foreign = compileOtherProgram(source('status'))
      replaceWithSameTime(code('status'), Buffer.concat([foreign, Buffer.alloc(size - foreign.length)]))
    },
  ],
  [
    'that came with a record of its own hashes, from another machine',
    ({ code, source, record, writeRecord, directory }) => {
      writeFileSync(code('status'), compileOtherProgram(source('status')))
      const forged = record()
      const metadata = metadataOf(code('status'))
      forged.records.status.code = { sha256: sha256(code('status')), metadata }
      writeRecord(forged)
      const packageDirectory = directory()
      // The clock of a file system ticks every few milliseconds: another machine never has the same tick.
      do {
        cpSync(packageDirectory, `${packageDirectory}-copy`, { recursive: true, preserveTimestamps: true })
        rmSync(packageDirectory, { recursive: true })
        renameSync(`${packageDirectory}-copy`, packageDirectory)
      } while (metadataOf(code('status')) === metadata)
    },
  ],
  [
    'whose content the recorded hash contradicts',
    ({ code, source, record, writeRecord }) => {
      writeFileSync(code('status'), compileOtherProgram(source('status')))
      const stale = record()
      stale.records.status.code.metadata = metadataOf(code('status'))
      stale.records.status.verified = Date.now() - 25 * 3600 * 1000
      writeRecord(stale)
    },
  ],
  ['without a record', ({ directory }) => rmSync(join(directory(), 'record.json'))],
  ['with a record of another form', ({ writeRecord }) => writeRecord({ records: { status: 1 } })],
  ['with a record that is not an object', ({ writeRecord }) => writeRecord(null)],
]

test('compiled code that something else has changed is not used, but replaced', async () => {
  const tt = install()
  await tt.start('status')
  await tt.start('status') // The second start stores its compiled code.
  expect(await tt.status()).toEqual({ status: 0, text: idle, isCompiled: true })
  for (const [title, tamper] of tamperings) {
    tamper(tt)
    expect(await tt.status(), title).toEqual({ status: 0, text: idle, isCompiled: false })
    expect(await tt.status(), title).toEqual({ status: 0, text: idle, isCompiled: true })
  }
})

test('a source that was edited, with its time as before, runs as it reads', async () => {
  const { status, source } = install()
  await status()
  await status()
  expect(await status()).toEqual({ status: 0, text: idle, isCompiled: true })
  const before = statSync(source('status'))
  const text = readFileSync(source('status'), 'utf8')
  replaceWithSameTime(source('status'), text.replaceAll(idle, 'Edited: none running'))
  const { size, mtimeMs } = statSync(source('status'))
  expect({ size, mtimeMs }).toEqual({ size: before.size, mtimeMs: before.mtimeMs })

  expect(await status()).toEqual({ status: 0, text: 'Edited: none running', isCompiled: false })
  expect(await status()).toEqual({ status: 0, text: 'Edited: none running', isCompiled: true })
})

test('a source that was written again with the same content keeps its compiled code', async () => {
  const { status, source, record } = install()
  await status()
  await status()
  const { metadata } = record().records.status.source
  writeFileSync(source('status'), readFileSync(source('status')))
  expect(await status()).toEqual({ status: 0, text: idle, isCompiled: true })
  expect(record().records.status.source.metadata).not.toBe(metadata)
  expect(await status()).toEqual({ status: 0, text: idle, isCompiled: true })
})

test.each<[string, (tt: Installed) => void]>([
  ['is cut off', ({ source }) => truncateSync(source('status'), 1000)],
  ['is empty', ({ source }) => truncateSync(source('status'), 0)],
  ['is missing', ({ source }) => rmSync(source('status'))],
  [
    'was swapped with another',
    ({ source }) => {
      renameSync(source('status'), `${source('status')}.swapped`)
      renameSync(source('everyday'), source('status'))
      renameSync(`${source('status')}.swapped`, source('everyday'))
    },
  ],
])('a source that %s ends the command with the name of the file', async (_title, damage) => {
  const tt = install()
  await tt.status()
  await tt.status()
  damage(tt)
  for (let times = 0; times < 2; times++) {
    const { status, text } = await tt.status()
    expect(status).toBe(1)
    expect(text).toMatch(
      /^error: The program file .*dist\/status\.cjs is damaged \(.*\)\. Install tt again\.$/,
    )
  }
})

const longAgo = new Date(Date.now() - 40 * 24 * 3600 * 1000)

test('compiled code of other builds that has not changed for a month is removed, and nothing else', async () => {
  const { start, cache, build } = install()
  await start('status')
  const packageDirectory = join(cache, 'tt')
  utimesSync(build(), longAgo, longAgo)
  for (const name of ['0123456789abcdef-old', 'fedcba9876543210-new', 'of-another-program']) {
    mkdirSync(join(packageDirectory, name))
    if (!name.endsWith('new')) utimesSync(join(packageDirectory, name), longAgo, longAgo)
  }
  await start('status')
  expect(readdirSync(packageDirectory).sort()).toEqual(
    [basename(build()), 'fedcba9876543210-new', 'of-another-program'].sort(),
  )
})

test('a cache directory that others can write is not used, and a start does not need one', async () => {
  const open = install()
  await open.status()
  await open.status()
  const record = open.record()
  chmodSync(open.directory(), 0o777)
  for (let run = 1; run <= 2; run++)
    expect(await open.status()).toEqual({ status: 0, text: idle, isCompiled: false })
  expect(open.record()).toEqual(record)

  const none = install()
  writeFileSync(none.cache, 'a file')
  for (let run = 1; run <= 3; run++) expect(await none.start('status')).toMatchObject({ status: 0 })
})

test('a relative XDG_CACHE_HOME is ignored', async () => {
  const home = temporaryDirectory()
  const env = cleanEnvironment({ TT_HOME: join(home, 'tt'), HOME: home, XDG_CACHE_HOME: 'relative' })
  await run(process.execPath, [join(root, 'bin', 'tt.js'), 'status'], { env, cwd: home })
  expect(readdirSync(home)).not.toContain('relative')
  expect(readdirSync(join(home, '.cache', 'tt'))).toHaveLength(1)
})
