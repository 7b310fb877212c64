import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { reportPage } from '../../src/ui/page/page.js'
import type { PageModel } from '../../src/ui/page/page-model.js'
import { expectNoPageFlaws, openTab, setUpBrowser } from '../support/browser.js'
import { temporaryDirectory } from '../support/process.js'
import { randomWork } from '../unit/report/charts/examples.js'
import { examplePage } from '../unit/ui/page/example.js'
import { joinChunks } from '../unit/ui/special-texts.js'
import { textStyleOf } from './text-style.js'

setUpBrowser()

const year = { since: '2024-01-01', until: '2024-12-31' }
const month = { since: '2024-05-01', until: '2024-05-31', targetSeconds: 184 * 3600 }
const amounts = [
  { currency: 'EUR', amount: '11743.90' },
  { currency: 'USD', amount: '200.00' },
]
const monthWork = randomWork(month.since, month.until)
const workedDays = new Set(monthWork.map(({ day }) => day)).size
const monthModel = examplePage(monthWork, { ...month, amounts })
const yearModel = examplePage(randomWork(year.since, year.until), year)

/** Opens the report page from a file; returns its errors and the URLs of all requests. */
async function openReport(
  model: PageModel,
): Promise<{ page: Page; errors: string[]; requestedUrls: string[]; url: string }> {
  const url = await writeReport(model)
  const { page, errors } = await openTab()
  const requestedUrls: string[] = []
  page.on('request', (request) => requestedUrls.push(request.url()))
  await page.goto(url)
  return { page, errors, requestedUrls, url }
}

async function writeReport(model: PageModel): Promise<string> {
  const file = join(temporaryDirectory(), 'report.html')
  writeFileSync(file, await joinChunks(reportPage(model)))
  return pathToFileURL(file).href
}

test.each([
  ['month', monthModel, ['Time by day']],
  ['year', yearModel, ['Time by week', 'Day by day, 2024']],
  ['empty', examplePage([], month), []],
])('the page of a %s sends no requests, and each of its charts has a name', async (_, model, names) => {
  const { page, errors, requestedUrls, url } = await openReport(model)
  await expectNoPageFlaws(page)
  expect(errors).toEqual([])
  expect(requestedUrls.filter((address) => !address.startsWith('data:'))).toEqual([url])
  for (const chart of names) await page.getByRole('img', { name: chart, exact: true }).waitFor()
  expect(await page.getByRole('img').count()).toBe(names.length)
  // Charts without a name are decorative.
  expect(await page.locator('svg:not([aria-hidden]):not([aria-labelledby])').count()).toBe(0)
})

test('the headings of the page are in order, and its tables have names for rows and columns', async () => {
  const { page } = await openReport(monthModel)
  expect(await page.getByRole('heading').allTextContents()).toEqual([
    ...['Time report', 'Summary', 'Time by day', 'Total by client and project', 'Entries'],
  ])
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
  const entries = page.getByRole('table').last()
  expect(await entries.getByRole('columnheader').allTextContents()).toEqual([
    ...['From', 'To', 'Client', 'Project', 'Task', 'Notes', 'Time', 'Hours', 'Amount'],
  ])
  expect(await entries.getByRole('row').count()).toBe(monthModel.report.count + workedDays + 2)
})

test('the figures of a chart open by keyboard, without scripts', async () => {
  const { page } = await openTab({ javaScriptEnabled: false })
  await page.goto(await writeReport(monthModel))
  const figures = page.getByRole('region', { name: 'Time by day in figures' })
  expect(await figures.isVisible()).toBe(false)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await figures.waitFor()
  expect(await figures.getByRole('rowheader').first().textContent()).toBe('2024-05-01 Wed')
})

test('markup in notes is shown as text', async () => {
  const { page } = await openReport(monthModel)
  await page.getByText('<script>alert("no")</script>').first().waitFor()
  const hebrew = page.getByRole('cell', { name: 'פגישה עם הלקוח' }).first()
  expect(await hebrew.evaluate(textStyleOf)).toMatchObject({ direction: 'rtl' })
})

test('the printed page is light, with the totals of days, and 28 entries fit on two pages of A4', async () => {
  const { page } = await openReport(examplePage(monthWork.slice(0, 28), { ...month, amounts }))
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  expect(await page.locator('body').evaluate(textStyleOf)).toMatchObject({
    color: 'rgb(28, 33, 38)',
    background: 'rgba(0, 0, 0, 0)',
  })
  expect(await page.getByRole('rowheader', { name: 'Thursday, 16 May 2024' }).isVisible()).toBe(true)
  await page.emulateMedia({ media: null })
  const pages = pagesOf(await page.pdf({ preferCSSPageSize: true }))
  expect(pages).toEqual({ count: 2, sizes: ['595x842'] }) // A4 in points
})

test('the printed page shows the figures of charts, without empty days, if it lists no entries', async () => {
  const { page } = await openReport({ ...monthModel, days: undefined })
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('rowheader', { name: '2024-05-31 Fri' }).isVisible()).toBe(true)
  expect(await page.getByRole('rowheader', { name: '2024-05-05 Sun' }).isVisible()).toBe(false)
  await page.getByText('56 entries, not listed here.').waitFor()
})

/** Returns the number and the sizes of the pages of a PDF. */
function pagesOf(pdf: Buffer): { count: number; sizes: string[] } {
  const text = pdf.toString('latin1')
  const sizes = [...text.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map(
    ([, width, height]) => `${Math.round(Number(width))}x${Math.round(Number(height))}`,
  )
  return { count: (text.match(/\/Type \/Page\b/g) ?? []).length, sizes: [...new Set(sizes)] }
}
