import { expect, test } from 'vitest'
import { startDelivery } from '../../../../src/cli/background/start.js'
import type { Context } from '../../../../src/cli/context.js'
import type { Host } from '../../../../src/cli/host.js'
import { createTestHost } from '../../../support/test-host.js'

const profile = { name: 'acme', stateKey: 'acme-1', baseUrl: 'https://time.example.com/api/v1' }

/** Returns the processes that are started with this host. */
function start(host: Partial<Host>) {
  const started: { argv: readonly string[]; env: Host['env'] }[] = []
  const startDetached: Host['startDetached'] = (argv, env) => started.push({ argv, env }) > 0
  const ctx = { host: createTestHost({ startDetached, ...host }), config: { profile } } as unknown as Context
  return { isStarted: startDelivery(ctx), started }
}

test('the process receives the profile and its address, and paths that do not depend on the directory', () => {
  const env = {
    TT_HOME: 'data',
    TT_PROFILE: 'other',
    NODE_EXTRA_CA_CERTS: 'ca.pem',
    HTTPS_PROXY: 'http://proxy:8080',
  }
  expect(start({ env, cwd: () => '/home/ada' })).toEqual({
    isStarted: true,
    started: [
      {
        argv: ['__deliver', 'acme', 'acme-1', 'https://time.example.com/api/v1'],
        env: {
          TT_HOME: '/home/ada/data',
          NODE_EXTRA_CA_CERTS: '/home/ada/ca.pem',
          HTTPS_PROXY: 'http://proxy:8080',
        },
      },
    ],
  })
})

test('absolute paths stay as they are', () => {
  const { started } = start({ env: { TT_HOME: '/data/tt' }, cwd: () => undefined })
  expect(started[0]?.env).toEqual({ TT_HOME: '/data/tt' })
})

test('returns false on a host that cannot start processes', () => {
  expect(start({ startDetached: () => false }).isStarted).toBe(false)
})
