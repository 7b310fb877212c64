import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { invoiceLocales } from '../../src/lib/invoice-words.js'
import { invoicePage } from '../../src/ui/page/invoice/invoice-page.js'
import { formatDecimal, formatInvoiceDay, labels } from '../../src/ui/page/invoice/locale.js'
import { writePdf } from '../../src/ui/page/pdf.js'
import { expectNoPageFlaws, openTab, setUpBrowser } from '../support/browser.js'
import { temporaryDirectory } from '../support/process.js'
import { share } from '../support/share.js'
import { type ExampleOptions, exampleInvoice, recipient, sender } from '../unit/ui/page/invoice/example.js'

setUpBrowser()

const longName =
  'Gesellschaft für außerordentlich lange Firmennamen und Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft mbH & Co. KG'
const image = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>').toString('base64')

const examples: Record<string, ExampleOptions> = {
  'one line': { lines: 1, expenses: 0, terms: { logo: `data:image/svg+xml;base64,${image}` } },
  '30 lines and an annex': { lines: 30, annex: 'entries' },
  'long names': {
    description: (index) => (index === 0 ? 'x'.repeat(200) : longName),
    terms: {
      sender: { ...sender, name: longName, street: longName },
      recipient: { ...recipient, name: 'x'.repeat(150) },
      note: longName,
    },
  },
  'right-to-left names': {
    description: (index) => ['تصميم / الصفحة الأولى', 'עיצוב / דף ראשון', 'Website / מסך'][index] ?? '',
    terms: {
      sender: { ...sender, name: 'עדה לאבלייס' },
      recipient: { ...recipient, name: 'شركة النور للتجارة', city: 'الرياض', country: 'SA' },
    },
  },
  'a draft': { number: null },
  'markup in names': {
    description: () => '<img src=x onerror=alert(1)>"\'&</style>',
    terms: { sender: { ...sender, name: '</style><script>alert(1)</script>"; } body { display: none' } },
  },
  ...Object.fromEntries(invoiceLocales.map((locale): [string, ExampleOptions] => [locale, { locale }])),
}

function pageOf(options: ExampleOptions): string {
  const { entries: _, ...document } = exampleInvoice(options)
  return invoicePage(document, { isDraft: document.number === null })
}

test.each(share('pages of invoices', Object.entries(examples)))(
  'the page with %s has no flaws and sends no requests',
  async (_, options) => {
    const file = join(temporaryDirectory(), 'invoice.html')
    writeFileSync(file, pageOf(options))
    const url = pathToFileURL(file).href
    const { page, errors } = await openTab()
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    await page.goto(url)
    await expectNoPageFlaws(page)
    expect(errors).toEqual([])
    expect(requested.filter((address) => !address.startsWith('data:'))).toEqual([url])
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
    expect(await page.locator('script').count()).toBe(0)
  },
)

describe('as PDF', () => {
  beforeEach(({ skip }) => skip(!existsSync('/usr/bin/pdftotext'), 'pdftotext is not installed'))

  /** Returns the text of each page. */
  async function printedPages(options: ExampleOptions): Promise<string[]> {
    const file = join(temporaryDirectory(), 'invoice.pdf')
    await writePdf([pageOf(options)], file, { ...process.env, CHROME_PATH: '/usr/bin/chromium' })
    const text = execFileSync('pdftotext', ['-layout', file, '-']).toString()
    return text.split('\f').slice(0, -1)
  }

  const lengths = share('lines of invoices', [
    [1, 1, 'none'],
    [30, 2, 'none'],
    [34, 3, 'days'],
    [500, 10, 'none'],
  ] as const)
  test.each(lengths)(
    '%i lines are on %i or more pages, each with a header and its number',
    async (lines, least, annex) => {
      const pages = await printedPages({ lines, annex })
      const count = pages.length
      // The fonts of the system decide how many lines fit.
      expect(count).toBeGreaterThanOrEqual(least)
      expect(count).toBeLessThanOrEqual(least * 1.5)
      for (const [index, page] of pages.entries()) {
        expect(page).toMatch(/Ada Lovelace\s+Invoice 2024-007/)
        expect(page).toMatch(new RegExp(`\\b${index + 1} ?/ ?${count}\\s*$`))
      }
      // The sums and the payment are together.
      const withTotal = pages.filter((page) => /^\s*Total\s.*EUR/m.test(page))
      expect(withTotal).toHaveLength(1)
      expect(withTotal[0]).toContain('IBAN')
      expect(withTotal[0]).toMatch(/^\s*Net\s/m)
    },
  )

  const locales = share('languages of invoices', invoiceLocales)
  test.each(locales)('%s has its labels, dates and numbers', async (locale) => {
    const invoice = exampleInvoice({ locale, lines: 30 })
    const text = (await printedPages({ locale, lines: 30 })).join('').replaceAll(/\s+/g, ' ')
    const { invoice: title, total, tax, net } = labels[locale]
    for (const label of [title, total, tax, net]) expect(text).toContain(label)
    const figures = [invoice.net, invoice.tax, invoice.total, ...invoice.lines.map(({ amount }) => amount)]
    for (const figure of figures)
      expect(text).toContain(formatDecimal(figure, locale).replaceAll(/\s+/g, ' '))
    expect(text).toContain(formatInvoiceDay('2024-06-03', locale))
  })
})
