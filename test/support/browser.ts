import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeEach, expect, onTestFinished } from 'vitest'
import { findLayoutFlaws } from './page-flaws.js'
import { share } from './share.js'

const executablePath = '/usr/bin/chromium'

/** The reason to skip browser tests, or undefined where Chromium is installed. */
export const missingBrowserReason = existsSync(executablePath) ? undefined : 'chromium is not installed'

let browser: Promise<Browser> | undefined

/** Skips the tests of a file where Chromium is not installed, and closes the browser of the file after them. */
export function setUpBrowser(): void {
  beforeEach(({ skip }) => skip(missingBrowserReason !== undefined, missingBrowserReason))
  afterAll(async () => {
    const closed = browser
    browser = undefined
    await (await closed)?.close()
  })
}

/** Opens a tab in a separate browser context, which ends with the file; the first starts the browser. */
export async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  browser ??= chromium.launch({ executablePath, args: ['--disable-gpu', '--disable-quic'] })
  return (await browser).newPage({ viewport: { width: 1280, height: 800 }, ...options })
}

/** A tab with the errors of its console and its network. */
export interface Tab {
  page: Page
  errors: string[]
}

/** Opens a tab that ends with the test. */
export async function openTab(options: BrowserContextOptions = {}): Promise<Tab> {
  const page = await openPage(options)
  onTestFinished(() => page.close())
  const errors: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('requestfailed', (request) => errors.push(`${request.url()}: ${request.failure()?.errorText}`))
  return { page, errors }
}

export interface WindowSize {
  colorScheme: 'light' | 'dark'
  width: number
}

/** Returns the windows of these widths, light and dark. */
export const windowSizes = (...widths: number[]): WindowSize[] =>
  (['light', 'dark'] as const).flatMap((colorScheme) => widths.map((width) => ({ colorScheme, width })))

const defaultSizes = share('sizes of pages', windowSizes(320, 1280))

/** The rules of WCAG 2.2 AA in axe-core. */
const accessibilityRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Large text has the contrast of other text, which is more than the rules require. */
const contrastRatio = { normal: { expected: 4.5 }, large: { expected: 4.5 } }
const checks = { 'color-contrast': { options: { ignoreUnicode: true, contrastRatio } } }

/** Expects no violations of WCAG 2.2 AA and no flaws of the layout in the open page, light and dark, narrow and wide. */
export async function expectNoPageFlaws(
  page: Page,
  sizes: readonly WindowSize[] = defaultSizes,
): Promise<void> {
  const before = page.viewportSize()
  for (const { colorScheme, width } of sizes) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    const flaws = await findFlaws(page)
    expect({ colorScheme, width, flaws }).toEqual({ colorScheme, width, flaws: [] })
  }
  await page.emulateMedia({ colorScheme: null })
  if (before) await page.setViewportSize(before)
}

/** Returns the flaws of the layout and the violations that axe-core finds in the page, these with their first elements. */
export async function findFlaws(page: Page): Promise<unknown[]> {
  // Its second run in a page takes a third of the time of the first.
  if (!(await page.evaluate('"axe" in window'))) {
    const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
    await page.evaluate(readFileSync(axe, 'utf8'))
  }
  // Without the elements that satisfy the rules, and of a table with entries only the first 31 days, for the time.
  const options = { runOnly: accessibilityRules, resultTypes: ['violations'], checks }
  const violations: unknown[] =
    await page.evaluate(`axe.run({ exclude: 'tbody:nth-of-type(n + 32)' }, ${JSON.stringify(options)})
    .then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html)]))`)
  return [...violations, ...(await page.evaluate(findLayoutFlaws))]
}

/** Submits the sign-in form of the open page. */
export async function submitSignInForm(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
