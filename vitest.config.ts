import { basename } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest. Each row begins with one that mostly waits, and goes on with files that keep two other
 * workers busy meanwhile.
 */
const longestFiles = [
  ['background-faults', 'chaos', 'jq', 'login-pages', 'hosting-page', 'report-page-cases', 'mcp'],
  ['slow-clients', 'team', 'package', 'restore', 'first-steps'],
  ['pgbouncer', 'faults', 'disk-errors-workspace', 'service-clients', 'killed-migration'],
  ['disk-errors', 'killed-processes', 'long-cached-lists', 'full-disk', 'machine-errors'],
  ['postgres', 'code-cache', 'hosting-proxies', 'login-errors', 'login-secrets'],
  ['background', 'upgrade', 'container-image', 'completion', 'import'],
  ['lock', 'fuzz', 'killed-imports', 'session', 'concurrent-processes'],
  ['keychain', 'hostile-files', 'long-entries', 'invoice-figures', 'examples'],
  ['forgotten-timer', 'foreign-services', 'database-files', 'backup', 'shared-workspace'],
  ['watch', 'damaged-databases', 'report-page', 'killed-invoices'],
].flat()

const acceptanceTests = (...names: string[]) => names.map((name) => `test/acceptance/${name}.test.ts`)

/** The acceptance tests of what every supported version of Node and system must do, with few rows of the longest tables. */
const smokeTests = {
  // `team` has start, stop, log, report, and tt serve over SQLite and PostgreSQL.
  include: acceptanceTests('team', 'import', 'login-accounts', 'shell', 'completion'),
  env: { TT_SHARE: '0.1' },
}

/** Those of what depends on the driver of SQLite, of which there are two: from Node 22.13 that of Node. */
const driverTests = {
  include: acceptanceTests(
    'killed-processes',
    'disk-errors',
    'disk-errors-workspace',
    'concurrent-processes',
  ),
  env: { TT_KILLS: '6', TT_SHARE: '0.1', TT_CONCURRENT_SECONDS: '2' },
}

const quickProjects = ['unit', 'command']

/**
 * Starts the longest files first, so that none of them runs alone at the end, and the others by project: a worker keeps the
 * modules that it has loaded while the next file is of the same project.
 */
class LongestFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const position = ({ moduleId, project }: TestSpecification) => {
      if (quickProjects.includes(project.name)) return longestFiles.length // They have files with the same names.
      const index = longestFiles.indexOf(basename(moduleId, '.test.ts'))
      return index === -1 ? longestFiles.length : index
    }
    const compare = (a: TestSpecification, b: TestSpecification) =>
      position(a) - position(b) || a.project.name.localeCompare(b.project.name)
    return (await super.sort(files)).sort(compare)
  }
}

interface ProjectOptions {
  isolate?: boolean
  globalSetup?: string[]
  setupFiles?: string[]
  include?: string[]
  env?: Record<string, string>
}

const project = (
  name: string,
  testTimeout: number,
  { include = [`test/${name}/**/*.test.ts`], env, ...options }: ProjectOptions,
) => ({
  test: {
    name,
    pool: 'forks' as const, // Tests change TZ, which has no effect in worker threads.
    ...options,
    include,
    testTimeout,
    hookTimeout: Math.max(testTimeout, 300_000), // Some start a database, which takes seconds of processor time.
    expect: { poll: { timeout: testTimeout / 2 } }, // The default of one second requires an idle machine.
    // A zone with daylight saving. Tests of other zones set their own.
    env: { TZ: 'Europe/Berlin', ...env },
  },
})

const sharedPostgres = 'test/support/shared-postgres.ts'
/** For all tests but those whose figures depend on a disk. The first sets the temporary directory of the others. */
const globalSetup = ['test/support/memory-directory.ts', sharedPostgres]
/** Fails tests with responses that the OpenAPI document does not describe. */
const setupFiles = ['test/support/reject-violations.ts']
/** Loads modules once per worker: loading them for each file takes half of the time. */
const together = { isolate: false, globalSetup, setupFiles }
const cacheHome = 'test/support/cache-home.ts'
/** A process for each file: one that has run other tests is larger, and starting a program from it takes ten times as long. */
const builtProgram = { globalSetup: [...globalSetup, cacheHome] }

export default defineConfig({
  test: {
    // Keeps transformed modules in node_modules: transforming them takes a third of the time of a run of one file.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFilesFirst },
    tags: [
      {
        name: 'slow',
        description:
          'Takes a quarter of a second or longer: `npm test` leaves it out, `npm run test:long` runs it.',
      },
    ],
    slowTestThreshold: 10_000, // Lists only very slow tests, so that the output has one line per file.
    reporters: ['default', './test/support/skipped-tests.ts'],
    projects: [
      project('unit', 120_000, { ...together, env: { TT_TEST_DATABASE: 'SQLite' } }),
      project('command', 120_000, together),
      // The same tests of the service, over the database that takes longer.
      project('postgres', 120_000, {
        ...together,
        include: ['test/unit/service/{accounts,admin,http,oauth,operation,resources,storage}/**/*.test.ts'],
        env: { TT_TEST_DATABASE: 'PostgreSQL' },
      }),
      // Tests like the others that take minutes: services of other implementations, every write failing in turn, undo while the
      // connection changes, random requests to both databases, random reports, very long texts, lost databases, sign-in limits.
      project('long', 3_600_000, together),
      project('acceptance', 600_000, builtProgram),
      project('smoke', 600_000, { ...builtProgram, ...smokeTests }),
      project('drivers', 600_000, { ...builtProgram, ...driverTests }),
      project('chaos', 3_600_000, { globalSetup: [cacheHome, sharedPostgres] }),
      project('soak', 36_000_000, { globalSetup: [cacheHome, sharedPostgres] }),
    ],
  },
})
