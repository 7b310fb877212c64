import { expect, test } from 'vitest'
import { expectNoPageFlaws, openTab, setUpBrowser, windowSizes } from '../support/browser.js'
import { startServeProcess, temporaryDirectory } from '../support/process.js'
import { share } from '../support/share.js'

setUpBrowser()

/** Starts a service and returns the address of its description. */
async function startService(): Promise<string> {
  const { url } = await startServeProcess(temporaryDirectory())
  return new URL('/docs', url).href
}

test('/docs is accessible, narrow and wide, light and dark, and requests nothing else', async () => {
  const address = await startService()
  const { page, errors } = await openTab()
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(address)
  await expectNoPageFlaws(page, share('sizes of /docs', windowSizes(320, 1000, 1200, 1280)))
  expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([address])
  expect(errors).toEqual([])
})

test('/docs works without scripts and without a connection', async () => {
  const address = await startService()
  const { page } = await openTab({ javaScriptEnabled: false })
  await page.goto(address)
  await page.context().setOffline(true)
  await page.getByRole('navigation').getByRole('link', { name: 'POST /timesheets' }).click()
  expect(new URL(page.url()).hash).toBe('#createTimeEntry')
  const section = page.locator('#createTimeEntry')
  await expect.poll(() => section.boundingBox().then((box) => box && box.y >= 0 && box.y < 800)).toBe(true)
  await section.getByText('tt api POST /timesheets').waitFor()
  await section.getByRole('link', { name: 'NewTimeEntry' }).first().click()
  await page.getByRole('heading', { name: 'NewTimeEntry', exact: true }).waitFor()
  expect(new URL(page.url()).hash).toBe('#NewTimeEntry')
})
