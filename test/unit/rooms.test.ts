import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const src = fileURLToPath(new URL('../../src', import.meta.url))

interface Import {
  /** The importing file, from src. */
  from: string
  /** The imported file, from src, or the package. */
  to: string
  /** The types alone: nothing is loaded. */
  typeOnly: boolean
  lazy: boolean
}

const imports: Import[] = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => importsOf(file.replaceAll('\\', '/')))

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), 'utf8')
  const resolve = (specifier: string) =>
    specifier.startsWith('.')
      ? relative(src, join(src, file, '..', specifier))
          .replaceAll('\\', '/')
          .replace(/\.js$/, '.ts')
      : specifier
  const statics = [...text.matchAll(/^(?:import|export)\s+(type\s)?[^'"]*?from '([^']+)'/gm)].map(
    (match) => ({
      from: file,
      to: resolve(match[2] ?? ''),
      typeOnly: match[1] !== undefined,
      lazy: false,
    }),
  )
  const lazies = [...text.matchAll(/(?:import|require|resolve|getBuiltinModule)\('([^']+)'\)/g)].map(
    (match) => ({
      from: file,
      to: resolve(match[1] ?? ''),
      typeOnly: false,
      lazy: true,
    }),
  )
  return [...statics, ...lazies]
}

const room = (file: string) => (file.includes('/') ? `${file.split('/')[0]}/` : file)

/** What the code of each room may load (design, section 1, "Rooms"). Types cross any wall. */
const mayImport: Record<string, string[]> = {
  'errors.ts': [],
  'version.ts': ['../package.json'],
  'sqlite.ts': ['errors.ts'],
  'world.ts': ['descriptor.ts'],
  'descriptor.ts': [],
  'output.ts': ['errors.ts', 'ui/'],
  'nearest.ts': [],
  'trim-end.ts': [],
  'record-command.ts': [],
  'control-characters.ts': [],
  'markup.ts': ['control-characters.ts'],
  'calendar/': ['errors.ts'],
  'lock.ts': ['errors.ts', 'sqlite.ts'],
  'config/': ['errors.ts', 'lock.ts', 'nearest.ts', 'trim-end.ts', 'calendar/'],
  'report/': ['errors.ts', 'record-command.ts', 'calendar/'],
  'api/': ['errors.ts', 'trim-end.ts'],
  'auth/': ['errors.ts', 'markup.ts', 'api/', 'config/', 'lock.ts'],
  'ui/': ['control-characters.ts', 'errors.ts', 'markup.ts'],
  'completion/': ['nearest.ts', 'sqlite.ts', 'api/', 'calendar/', 'config/', 'tracking/'],
  'tracking/': [
    'errors.ts',
    'record-command.ts',
    'api/',
    'calendar/',
    'lock.ts',
    'nearest.ts',
    'sqlite.ts',
    'trim-end.ts',
  ],
  'service/': ['errors.ts', 'markup.ts', 'api/', 'calendar/', 'sqlite.ts'],
  'commands/': [
    ...['errors.ts', 'nearest.ts', 'record-command.ts', 'version.ts'],
    ...['api/', 'auth/', 'calendar/', 'completion/', 'config/', 'report/', 'tracking/', 'ui/', 'service/'],
  ],
  'program/': ['errors.ts', 'nearest.ts', 'commands/', 'config/'],
  'program.ts': ['version.ts', 'commands/', 'program/'],
  'conversation.ts': ['errors.ts', 'nearest.ts', 'ui/'],
  'context.ts': [
    'conversation.ts',
    'errors.ts',
    'prompt-file.ts',
    'config/',
    'api/',
    'auth/',
    'report/',
    'tracking/',
    'ui/',
    'service/',
  ],
  'prompt-file.ts': ['calendar/', 'config/', 'tracking/', 'ui/'],
  'build/': ['program.ts', 'program/', 'version.ts'],
  'run.ts': ['context.ts', 'output.ts', 'ui/', 'version.ts'],
  'main.ts': ['ui/', 'errors.ts', 'output.ts', 'program.ts', 'run.ts', 'world.ts'],
}

test('each room imports only what the architecture lets it', () => {
  const strays = imports.filter(({ from, to, typeOnly }) => {
    const inside = to.endsWith('.ts') || to.startsWith('../')
    return (
      inside &&
      !typeOnly &&
      room(from) !== room(to) &&
      !mayImport[room(from)]?.includes(inside ? (room(to) === '../' ? to : room(to)) : to)
    )
  })
  expect(strays).toEqual([])
})

test('every room is described', () => {
  expect([...new Set(imports.map(({ from }) => room(from)))].filter((name) => !mayImport[name])).toEqual([])
})

test.each([
  ['cli-table3', 1],
  ['@inquirer/prompts', 1],
  ['chalk', 1],
  ['libsql', 1],
  ['node:sqlite', 1],
  ['keytar', 1],
  ['ofetch', 1],
  ['open', 1],
  ['ical.js', 2], // one reads it, the other writes it
  ['commander', 3], // the tree, in three files
])('one file alone imports %s', (name, files) => {
  const importing = imports.filter(
    ({ to, typeOnly }) => !typeOnly && (to === name || to.startsWith(`${name}/`)),
  )
  expect([...new Set(importing.map(({ from }) => from))]).toHaveLength(files)
})

test('commands never import each other, only what they share', () => {
  const parts = 'checks|editing|mending|report|views'
  const files =
    'command|options|overlap|overlong|period|picking|progress|signing-out|standard-input|undelivered|unknown-names'
  const shared = new RegExp(`^commands/((${parts})/.*|${files})\\.ts$`)
  const strays = imports.filter(
    ({ from, to, typeOnly }) =>
      room(from) === 'commands/' && room(to) === 'commands/' && !typeOnly && !shared.test(to),
  )
  expect(strays).toEqual([])
})

test('the service is loaded by the context, serve, admin and the checks of doctor alone, and always lazily', () => {
  const importing = imports.filter(
    ({ from, to, typeOnly }) => room(to) === 'service/' && room(from) !== 'service/' && !typeOnly,
  )
  expect(importing.filter(({ lazy }) => !lazy)).toEqual([])
  expect(
    importing.filter(
      ({ from }) =>
        !/^(context|commands\/serve|commands\/checks\/kept|commands\/admin\/[a-z-]+)\.ts$/.test(from),
    ),
  ).toEqual([])
})

test('what people sign in with is loaded to serve and to administer alone', () => {
  const signingIn = /^service\/(oauth\/.*|passwords)\.ts$/
  const importing = imports.filter(
    ({ from, to, typeOnly }) => signingIn.test(to) && !signingIn.test(from) && !typeOnly,
  )
  expect(new Set(importing.map(({ from }) => from))).toEqual(
    new Set(['commands/serve.ts', 'commands/admin/app.ts', 'commands/admin/user.ts']),
  )
  expect(importing.filter(({ lazy }) => !lazy)).toEqual([])
})

test('the command tree loads no command', () => {
  expect(
    imports.filter(
      ({ from, to, typeOnly, lazy }) =>
        room(from).startsWith('program') && room(to) === 'commands/' && !typeOnly && !lazy,
    ),
  ).toEqual([])
})
