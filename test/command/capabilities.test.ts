import { expect, test } from 'vitest'
import { clientStatePath, pathsFor } from '../../src/config/paths.js'
import { openClientState } from '../../src/outbox/cache/client-state.js'
import { setUpForeignService } from '../support/foreign-service-setup.js'
import { dropRequest, jsonResponse } from '../support/proxy.js'
import { shortenTimers } from '../support/short-timers.js'
import type { TestCli } from '../support/test-cli.js'
import { loginWithPassword, readProfiles } from './login-fixtures.js'

/** A service of another implementation. */
const limits = {
  timeEndFilter: { status: 422 },
  rejectsOtherMediaTypes: true,
  expenseDate: { name: 'date', missing: 'named', filters: 'none' },
} as const

/** Returns what the profile of `cli` knows about its service. */
async function known(cli: TestCli) {
  const { profiles } = readProfiles(cli)
  const state = await openClientState(clientStatePath(pathsFor(cli.env), profiles.acme?.state ?? ''))
  const capabilities = state.snapshot('capabilities')?.value ?? {}
  state.close()
  return Object.fromEntries(Object.entries(capabilities).map(([name, known]) => [name, known?.value]))
}

/** Signs in to the service that `TT_BASE_URL` names. */
async function signIn(cli: TestCli) {
  const { TT_BASE_URL: baseUrl = '' } = cli.env
  Object.assign(cli.env, { TT_BASE_URL: '', TT_TOKEN: '' })
  expect(await loginWithPassword(cli, baseUrl, '--profile', 'acme')).toMatchObject({ status: 0 })
}

test('a sign-in and tt doctor show what a service accepts, so that later commands need not try it', {
  tags: 'slow',
}, async () => {
  const { cli, otherCli, service } = await setUpForeignService({ ...limits })
  expect(await otherCli.run('expenses', 'add', '12.50', '--currency', 'EUR')).toMatchObject({ status: 0 })
  await signIn(cli)
  expect(await known(cli)).toEqual({
    endFilter: 'unsupported',
    compactLists: 'refused',
    expenseDate: { name: 'date', isFilterable: false },
  })
  service.filters.length = 0
  expect(await cli.run('log')).toMatchObject({ status: 0 })
  expect(service.filters.filter((q) => q.includes('time_end'))).toEqual([])

  delete service.variant.timeEndFilter
  delete service.variant.rejectsOtherMediaTypes
  service.variant.expenseDate = { ...limits.expenseDate, filters: 'rejected' }
  const checks = (await cli.run('doctor', '--json')).json()
  expect(checks).toContainEqual(expect.objectContaining({ check: 'service', state: 'ok' }))
  expect(await known(cli)).toEqual({ expenseDate: { name: 'date', isFilterable: true } })
})

test('a sign-in does not hide older records while the service cannot be reached', async () => {
  const { cli, otherCli, proxy } = await setUpForeignService()
  expect(await otherCli.run('start', 'design', '--at', '2024-04-26 09:00')).toMatchObject({ status: 0 })
  await signIn(cli)
  proxy.fault = dropRequest
  expect(await cli.run('log')).toMatchObject({ status: 6, stdout: '' })
})

test('a sign-in learns from a slow service for at most 10 s', { tags: 'slow' }, async () => {
  const { cli, proxy } = await setUpForeignService()
  let pages = 0
  proxy.fault = async ({ path }, forward) => {
    if (!path.endsWith('/timesheets')) return forward()
    pages++
    await new Promise((resolve) => setTimeout(resolve, 4000))
    return jsonResponse(200, [], { link: `<${proxy.url}/timesheets?page=${pages + 1}>; rel="next"` })
  }
  shortenTimers(1 / 5) // The timeouts of the sign-in as well, which a busy machine must not reach.
  await signIn(cli)
  // Each of the two lists requests a page every 4 s; the lists have no end.
  expect(pages).toBeLessThan(10)
})
