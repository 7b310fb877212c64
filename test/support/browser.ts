import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeEach, expect, onTestFinished } from 'vitest'
import { findPageFlaws } from './page-flaws.js'
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

const viewports = share(
  'sizes of pages',
  (['light', 'dark'] as const).flatMap((colorScheme) => [320, 1280].map((width) => ({ colorScheme, width }))),
)

/**
 * Expects no flaws in the open page, light and dark, narrow and wide (with `TT_SHARE`, a part of these). Writes a screenshot
 * of each to the directory `TT_SCREENSHOTS` if that is set.
 */
export async function expectNoPageFlaws(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()
  for (const { colorScheme, width } of viewports) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    const { TT_SCREENSHOTS: directory } = process.env
    if (directory) {
      mkdirSync(directory, { recursive: true })
      await page.screenshot({ path: join(directory, `${name}-${colorScheme}-${width}.png`) })
    }
    expect({ name, colorScheme, width, flaws: await page.evaluate(findPageFlaws) }).toEqual({
      name,
      colorScheme,
      width,
      flaws: [],
    })
  }
  await page.emulateMedia({ colorScheme: null })
  if (before) await page.setViewportSize(before)
}

/** The rules of WCAG 2.2 AA in axe-core. */
const accessibilityRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Returns the violations that axe-core finds in the page, each with the first elements. It loads axe-core once per page,
 * whose second run takes a third of the time of the first.
 */
export async function findAccessibilityViolations(page: Page): Promise<unknown> {
  if (!(await page.evaluate('"axe" in window'))) {
    const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
    await page.evaluate(readFileSync(axe, 'utf8'))
  }
  // Without the elements that satisfy the rules.
  const options = { runOnly: accessibilityRules, resultTypes: ['violations'] }
  return page.evaluate(`axe.run(document, ${JSON.stringify(options)})
    .then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html)]))`)
}

/** Submits the sign-in form of the open page. */
export async function submitSignInForm(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
