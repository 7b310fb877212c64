import { defineConfig } from 'vitest/config'

const project = (name: string, testTimeout: number, globalSetup: string[] = []) => ({
  test: {
    name,
    globalSetup,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout,
    hookTimeout: testTimeout,
    // A zone with daylight saving. Tests of other zones set their own.
    env: { TZ: 'Europe/Berlin' },
  },
})

export default defineConfig({
  test: {
    reporters: ['default', './test/support/skipped-tests.ts'],
    projects: [
      project('unit', 60_000),
      project('command', 60_000),
      project('acceptance', 600_000, ['test/support/cache-home.ts']),
      project('soak', 36_000_000, ['test/support/cache-home.ts']),
    ],
  },
})
