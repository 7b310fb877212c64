import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { findPageFlaws } from './page-flaws.js'

const executablePath = '/usr/bin/chromium'

/** Why tests with a browser are left out; undefined where there is one. */
export const missingBrowserReason = existsSync(executablePath) ? undefined : 'chromium is not installed'

/** Starts the browser of this machine, without a window, which asks nobody but the pages that it opens. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** A tab in a browser profile of its own, and what its console and its network have complained about. */
export interface Tab {
  page: Page
  errors: string[]
}

export async function openTab(browser: Browser): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('requestfailed', (request) => errors.push(`${request.url()}: ${request.failure()?.errorText}`))
  return { page, errors }
}

const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [320, 1280].map((width) => ({ colorScheme, width })),
)

/**
 * Expects the page that is open to be well made, light and dark, narrow and wide. Where `TT_SCREENSHOTS` names a
 * directory, it is pictured there each time.
 */
export async function expectNoPageFlaws(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()
  for (const { colorScheme, width } of looks) {
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

/** Signs in on the page that is open. */
export async function submitSignInForm(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
