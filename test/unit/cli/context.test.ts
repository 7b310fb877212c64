import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AfterOutput } from '../../../src/cli/context/after-output.js'
import { Resources } from '../../../src/cli/context/resources.js'
import { Terminal } from '../../../src/cli/context/terminal.js'
import { Context } from '../../../src/cli/context.js'
import { workspacePath } from '../../../src/config/paths.js'
import { temporaryDirectory } from '../../support/process.js'
import { createTestHost } from '../../support/test-host.js'

function createContext() {
  const host = createTestHost({ env: { TT_HOME: temporaryDirectory() } })
  const afterOutput = new AfterOutput()
  const resources = new Resources()
  const terminal = new Terminal(host, {}, afterOutput)
  return { resources, ctx: new Context({ host, options: {}, terminal, afterOutput, resources }) }
}

test('opens the client state on first use and once, and registers it for closing', async () => {
  const { ctx, resources } = createContext()
  const path = workspacePath(ctx.config.paths)
  expect(existsSync(path)).toBe(false)
  const state = await ctx.state()
  expect([await ctx.state(), existsSync(path)]).toEqual([state, true])
  await resources.close()
  expect(() => state.snapshot('timer')).toThrow()
})

test('shares warnings and resources with the context for another profile', async () => {
  const { ctx, resources } = createContext()
  const other = ctx.forProfile('local')
  expect(other.terminal).toBe(ctx.terminal)
  expect(other.afterOutput).toBe(ctx.afterOutput)
  const state = await other.state()
  expect(state).not.toBe(await ctx.state())
  await resources.close()
  expect(() => state.snapshot('timer')).toThrow()
})
