import { defineConfig } from 'vitest/config'

const project = (name: string, testTimeout: number) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], testTimeout, hookTimeout: testTimeout },
})

export default defineConfig({
  test: {
    projects: [project('unit', 30_000), project('command', 30_000), project('acceptance', 300_000)],
  },
})
