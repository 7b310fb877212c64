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
  /** Whether it imports types alone, so that nothing is loaded. */
  typeOnly: boolean
  lazy: boolean
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replaceAll('\\', '/'))
const imports: Import[] = files.flatMap(importsOf)

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), 'utf8')
  const resolve = (specifier: string) =>
    specifier.startsWith('.')
      ? relative(src, join(src, file, '..', specifier))
          .replaceAll('\\', '/')
          .replace(/\.js$/, '.ts')
      : specifier
  const statics = [...text.matchAll(/^(?:import|export)\s+(type\s)?[^'"]*?from '([^']+)'/gm)].map(
    ([, type, to = '']) => ({ from: file, to: resolve(to), typeOnly: type !== undefined, lazy: false }),
  )
  const lazies = [...text.matchAll(/(?:import|require|resolve|getBuiltinModule)\('([^']+)'\)/g)].map(
    ([, to = '']) => ({ from: file, to: resolve(to), typeOnly: false, lazy: true }),
  )
  return [...statics, ...lazies]
}

/** The imports that load code. */
const loads = imports.filter(({ typeOnly }) => !typeOnly)

/** Returns the files of these imports, each once. */
const importersOf = (some: readonly Import[]) => new Set(some.map(({ from }) => from))

const module = (file: string) => (file.includes('/') ? `${file.split('/')[0]}/` : file)

/**
 * The modules, each after those that it imports (ARCHITECTURE.md), with the ones whose code it loads at once. Every module
 * may import types of all before it, and load `lib`.
 */
const modules: Record<string, string[]> = {
  'lib/': [],
  'records/': [],
  'config/': [],
  'api-client/': ['records/', 'config/'],
  'service/': ['records/', 'api-client/'],
  'outbox/': ['api-client/'],
  'tracking/': ['api-client/', 'outbox/'],
  'report/': ['records/', 'config/'],
  'ui/': [],
  'import-export/': ['tracking/', 'ui/'],
  'backup/': ['config/', 'outbox/', 'report/'],
  'cli/': ['config/', 'api-client/', 'outbox/', 'tracking/', 'ui/'],
  'program/': ['records/', 'config/', 'outbox/', 'tracking/', 'ui/', 'import-export/', 'cli/'],
  'commands/': [
    ...['records/', 'config/', 'api-client/', 'outbox/', 'tracking/', 'report/', 'ui/', 'import-export/'],
    ...['backup/', 'cli/', 'program/'],
  ],
  'mcp/': ['records/', 'tracking/', 'report/', 'ui/', 'cli/', 'program/', 'commands/'],
  'build/': ['config/', 'cli/', 'program/'],
  'main.ts': ['ui/', 'cli/'],
}
const order = Object.keys(modules)
const acrossModules = imports.filter(
  ({ from, to, lazy }) => !lazy && to.endsWith('.ts') && module(from) !== module(to),
)

test('modules import in one direction, types included', () => {
  expect([...new Set(files.map(module))].filter((name) => !order.includes(name))).toEqual([])
  expect(
    acrossModules.filter(({ from, to }) => order.indexOf(module(to)) >= order.indexOf(module(from))),
  ).toEqual([])
})

test('each module loads only the modules that it may', () => {
  expect(
    acrossModules.filter(
      ({ from, to, typeOnly }) =>
        !typeOnly && module(to) !== 'lib/' && !modules[module(from)]?.includes(module(to)),
    ),
  ).toEqual([])
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
  ['oauth4webapi', 5], // Code challenge, metadata, tokens, how requests are sent; the service as a client of a provider.
  ['ical.js', 3], // Calendars are read with limits, and written.
  ['cldr-core/supplemental/windowsZones.json', 1],
  ['csv-parse', 1],
  ['jq-wasm', 1],
  ['commander', 1],
  ['pino', 1],
  ['prom-client', 1],
])('%s is imported by %i file(s)', (name, files) => {
  const importing = loads.filter(({ to }) => to === name || to.startsWith(`${name}/`))
  expect([...importersOf(importing)]).toHaveLength(files)
})

test('commands import helpers only, never each other', () => {
  const helper = /^commands\/(adjust|checks|editor|export|import|invoice|remind|report|shared|views|watch)\//
  const violations = loads.filter(
    ({ from, to }) => module(from) === 'commands/' && module(to) === 'commands/' && !helper.test(to),
  )
  expect(violations).toEqual([])
})

test('the service is loaded lazily, and by few files', () => {
  const importing = loads.filter(({ from, to }) => module(to) === 'service/' && module(from) !== 'service/')
  expect(importing.filter(({ lazy }) => !lazy)).toEqual([])
  const allowed =
    /^(cli\/(recorded-change|context|context\/services\/open-workspace)|commands\/serve|commands\/checks\/storage|commands\/(admin|catalog)\/[a-z-]+|commands\/report\/team\/team-context|backup\/(create-backup|restore-target|read-backup)|program\/(completion\/known-records|options\/service-values))\.ts$/
  expect(importing.filter(({ from }) => !allowed.test(from))).toEqual([])
})

test('only tt serve and tt admin load the authorization server', () => {
  const signIn =
    /^service\/(oauth\/.*|accounts\/(import-users|passwords|remove-user|sign-in-limits|check-credentials|issued-tokens|legacy-key))\.ts$/
  const importing = loads.filter(
    ({ from, to }) => signIn.test(to) && !signIn.test(from) && !/^service\/(operation|openapi)\//.test(from),
  )
  expect(importersOf(importing)).toEqual(
    new Set([
      'commands/serve.ts',
      'commands/admin/app.ts',
      'commands/admin/import-users.ts',
      'commands/admin/token.ts',
      'commands/admin/user-removal.ts',
      'commands/admin/user.ts',
      'program/options/service-values.ts',
    ]),
  )
  expect(importing.filter(({ lazy }) => !lazy)).toEqual([])
})

test('only tt serve loads log and metrics of the service', () => {
  const operation = /^service\/operation\/.*\.ts$/
  const importing = loads.filter(({ from, to }) => operation.test(to) && !operation.test(from))
  expect(importersOf(importing)).toEqual(new Set(['commands/serve.ts']))
  expect(importing.filter(({ lazy }) => !lazy)).toEqual([])
})

test('only sign-in, sign-out and refresh load the OAuth client', () => {
  const client = /^api-client\/auth\/oauth\/(authorization-flow|oauth-client|token-endpoint)\.ts$/
  const importing = loads.filter(
    ({ from, to }) => client.test(to) && !from.startsWith('api-client/auth/oauth/'),
  )
  expect(importersOf(importing)).toEqual(
    new Set(['api-client/auth/account.ts', 'api-client/auth/login.ts', 'api-client/auth/session.ts']),
  )
  const isSignIn = ({ from }: { from: string }) => from === 'api-client/auth/login.ts'
  expect(importing.filter((file) => !file.lazy && !isSignIn(file))).toEqual([])
  const loadingSignIn = loads.filter(({ to }) => to === 'api-client/auth/login.ts')
  expect(importersOf(loadingSignIn)).toEqual(new Set(['commands/login.ts']))
})

test('only tt schema and tt mcp load the shapes of JSON, others use their types', () => {
  const loading = loads.filter(
    ({ from, to }) => to.startsWith('records/shapes/') && !from.startsWith('records/shapes/'),
  )
  const isAllowed = ({ from, lazy }: Import) =>
    from.startsWith('mcp/') || (from === 'commands/schema.ts' && lazy)
  expect(loading.filter((each) => !isAllowed(each))).toEqual([])
  const ofZod = loads.filter(({ to }) => to === 'zod')
  expect(ofZod.map(({ from }) => from).filter((from) => !/^(mcp|records\/shapes)\//.test(from))).toEqual([])
})

test('only tt mcp loads the Model Context Protocol', () => {
  const importing = (isTarget: (file: string) => boolean) => [
    ...importersOf(loads.filter(({ to }) => isTarget(to))),
  ]
  const libraries = importing((file) => file.startsWith('@modelcontextprotocol/'))
  expect(libraries.filter((file) => module(file) !== 'mcp/')).toEqual([])
  expect(importing((file) => module(file) === 'mcp/').filter((file) => module(file) !== 'mcp/')).toEqual([
    'commands/mcp.ts',
  ])
  expect(
    imports.filter(({ from, to, lazy }) => from === 'commands/mcp.ts' && module(to) === 'mcp/' && !lazy),
  ).toEqual([])
})

test('the program loads no command module before it runs a command', () => {
  const loaded = new Set<string>()
  const follow = (file: string) => {
    if (loaded.has(file)) return
    loaded.add(file)
    // Of the lazy imports, help loads only the parts of the command tree.
    for (const { from, to, lazy } of loads)
      if (from === file && (!lazy || module(to) === 'program/')) follow(to)
  }
  follow('main.ts')
  expect([...loaded]).toEqual(
    expect.arrayContaining(['program/declarations/admin.ts', 'program/help/topics.ts']),
  )
  expect([...loaded].filter((file) => module(file) === 'commands/')).toEqual([])
})

test('the sender of changes uses no table, and the settler makes no request', () => {
  const importedBy = (name: string) =>
    imports.filter(({ from }) => from === `outbox/delivery/${name}.ts`).map(({ to }) => to)
  const usesTable = (file: string) =>
    file.startsWith('outbox/cache/') || /outbox\/(outbox|history)\.ts/.test(file)
  expect(importedBy('change-sender')).toContain('api-client/api.ts')
  expect(importedBy('change-sender').filter(usesTable)).toEqual([])
  expect(importedBy('change-settler')).toContain('outbox/outbox.ts')
  expect(importedBy('change-settler').filter((file) => module(file) === 'api-client/')).toEqual([
    'api-client/capabilities.ts',
    'api-client/types.ts',
  ])
})

test('no module creates a pattern of Unicode properties when it is loaded, which takes up to a millisecond', () => {
  const created = files.flatMap((file) =>
    readFileSync(join(src, file), 'utf8')
      .split('\n')
      .filter((line) => /^(export )?const \w+ = .*\\p\{/.test(line) && !line.includes('=>'))
      .map((line) => `${file}: ${line}`),
  )
  expect(created).toEqual([])
})
