import { expect, onTestFinished, test } from 'vitest'
import { startProxy } from '../../support/proxy.js'

test('a proxy that opens many times prints no warning', async () => {
  const warnings: Error[] = []
  const record = (warning: Error) => void warnings.push(warning)
  process.on('warning', record)
  onTestFinished(() => void process.off('warning', record))
  const proxy = await startProxy('http://127.0.0.1:9')
  for (let count = 0; count < 12; count++) {
    await proxy.close()
    await proxy.open()
  }
  await new Promise(setImmediate)
  expect(warnings).toEqual([])
})
