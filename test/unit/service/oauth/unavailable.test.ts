import { onTestFinished, test } from 'vitest'
import { openSqlite } from '../../../../src/lib/sqlite/open.js'
import { temporarySqlite } from '../fixtures.js'
import { expectSuccess, expectUnavailable, prepareOAuthRequests } from './oauth-requests.js'
import { createOAuthTestService } from './test-service.js'

test('the authorization server responds 503 while a SQLite file is locked, and uses up nothing', {
  tags: 'slow',
}, async () => {
  const { storage, path, close } = await temporarySqlite()
  const other = await openSqlite(path)
  onTestFinished(async () => {
    other.close()
    await close()
  })
  const requests = await prepareOAuthRequests(await createOAuthTestService(storage))
  storage.limits.lockMs = 50
  other.exec('begin immediate')
  await expectUnavailable(requests.filter(({ isRead }) => !isRead))
  await expectSuccess(requests.filter(({ isRead }) => isRead))
  other.exec('rollback')
  await expectSuccess(requests)
})
