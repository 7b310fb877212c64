import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { deliveryLockPath, pathsFor } from '../../src/config/paths.js'
import { withLock } from '../../src/lib/lock.js'
import { dropRequest, noFault } from '../support/proxy.js'
import { setUpService } from './service-fixtures.js'

test('tt sync sends nothing while another process delivers', { tags: 'slow' }, async () => {
  const { cli, proxy, entries, takeChanges } = await setUpService()
  proxy.fault = dropRequest
  await cli.json('add', 'design', '--from', '9:00', '--for', '1h')
  proxy.fault = noFault
  takeChanges()
  const [stateKey = ''] = readdirSync(join(cli.home, 'profiles'))
  let sync: Promise<{ status: number }> | undefined
  await withLock(deliveryLockPath(pathsFor({ TT_HOME: cli.home }), stateKey), async () => {
    sync = cli.run('sync')
    await Promise.race([sync, pause(1000)])
    expect(takeChanges()).toEqual([])
  })
  expect(await sync).toMatchObject({ status: 0 })
  expect(takeChanges()).toHaveLength(1)
  expect(await entries()).toHaveLength(1)
})
