import { expect, it } from 'vitest'
import { readDatabaseOptions } from '../../../../../src/commands/shared/options/database-options.js'

const defaults = {
  ...{ poolSize: '10', connectionTimeout: '3', statementTimeout: '5', idleTransactionTimeout: '10' },
  ...{ lockTimeout: '2', keepalive: '10' },
} as Parameters<typeof readDatabaseOptions>[0]

it('reads the options of tt serve for its database', () => {
  const changed = { statementTimeout: '0', connectionTimeout: '0.25', preparedStatements: true }
  expect(readDatabaseOptions({ ...defaults, ...changed })).toEqual({
    connection: { poolSize: 10, connectMs: 250, keepAliveMs: 10_000, preparesStatements: true },
    limits: { statementMs: 0, idleInTransactionMs: 10_000, lockMs: 2000 },
  })
})

it.each([
  ['--pool-size', { poolSize: '0' }],
  ['--pool-size', { poolSize: '2.5' }],
  ['--connection-timeout', { connectionTimeout: '0' }],
  ['--statement-timeout', { statementTimeout: '-1' }],
  ['--idle-transaction-timeout', { idleTransactionTimeout: '5s' }],
  ['--keepalive', { keepalive: '' }],
  ['--lock-timeout', { lockTimeout: '1e3' }],
])('rejects an invalid %s', (option, changed) => {
  expect(() => readDatabaseOptions({ ...defaults, ...changed })).toThrow(
    expect.objectContaining({ code: 'usage', message: expect.stringContaining(`${option} takes`) }),
  )
})
