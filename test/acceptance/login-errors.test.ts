import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import {
  expectNoPageFlaws,
  missingBrowserReason,
  openTab,
  startBrowser,
  submitSignInForm,
} from '../support/browser.js'
import { findFreePort } from '../support/postgres.js'
import { temporaryDirectory } from '../support/process.js'
import {
  authorize,
  expectSuccess,
  isPortClosed,
  type LoginProcess,
  listenOnFreePort,
  startLogin,
  startTestService,
} from '../support/sign-in.js'

let browser: Browser
beforeAll(async () => {
  if (!missingBrowserReason) browser = await startBrowser()
})
afterAll(() => browser?.close())
beforeEach(({ skip }) => skip(missingBrowserReason !== undefined, missingBrowserReason))

/** Expects the error in the browser and on the terminal, the exit status, no stored secrets and a closed port. */
async function expectFailure(
  { page, login, home }: { page: Page; login: LoginProcess; home: string },
  { status, message, hint }: { status: number; message: RegExp; hint: RegExp },
) {
  await page.getByRole('heading', { name: 'Not signed in' }).waitFor()
  const shown = await page.getByRole('alert').textContent()
  expect(shown).toMatch(message)
  expect(shown).toMatch(hint)
  const outcome = await login.exit
  expect(outcome).toMatchObject({ status, stdout: '' })
  expect(outcome.stderr).toMatch(message)
  expect(outcome.stderr).toMatch(hint)
  await expectNothingStored(login, home)
}

async function expectNothingStored({ redirectUri }: LoginProcess, home: string) {
  expect(await isPortClosed(redirectUri)).toBe(true)
  expect(existsSync(join(home, 'profiles.json'))).toBe(false)
  const credentials = join(home, 'credentials')
  expect(existsSync(credentials) ? readdirSync(credentials) : []).toEqual([])
}

test('a wrong client secret exits with 4 and a hint to check ID and secret', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const login = await startLogin(home, service, { clientSecret: 'tts_not-this-one' })
  const { page, errors } = await openTab(browser)
  await page.goto(login.address.href)
  await submitSignInForm(page, service.email, service.password)
  await page.getByRole('button', { name: 'Allow' }).click()
  await expectFailure(
    { page, login, home },
    { status: 4, message: /does not accept the client ID or the client secret/, hint: /Both must match/ },
  )
  await expectNoPageFlaws(page, 'failure')
  expect(errors).toEqual([])
  expect(await page.content()).not.toContain('tts_not-this-one')
  expect(login.output()).not.toContain('tts_not-this-one')
})

test('an unregistered redirect URI is an error in the browser; the terminal prints what to compare until Ctrl-C', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const redirectUri = `http://127.0.0.1:${await findFreePort()}/elsewhere`
  const login = await startLogin(home, service, {
    argv: ['--insecure-storage', '--redirect-uri', redirectUri],
  })
  const { page } = await openTab(browser)
  const response = await page.goto(login.address.href)
  expect(response?.status()).toBe(400)
  expect(page.url()).toBe(login.address.href)
  expect(await page.getByRole('alert').textContent()).toContain(
    `${redirectUri} is not a registered redirect URI of Desktop`,
  )
  await expectNoPageFlaws(page, 'wrong-redirect-uri')

  expect(login.output()).toMatch(/shows an error and does not return, compare/)
  expect(login.output()).toContain(`redirect URI  ${redirectUri}\n`)
  expect(login.output()).toContain(`client ID     ${service.clientId}\n`)
  login.child.kill('SIGINT')
  expect(await login.exit).toMatchObject({ status: 130, stdout: '' })
  expect(login.output()).toContain('The sign-in was not completed.')
  await expectNothingStored(login, home)
})

test('a used code exits with 4 and a hint to sign in again', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const first = await startLogin(temporaryDirectory(), service)
  const used = await authorize(first.address, service)
  await fetch(used)
  await expectSuccess(first.exit)

  const login = await startLogin(home, service)
  const replayed = new URL(login.redirectUri)
  replayed.search = used.search
  replayed.searchParams.set('state', login.address.searchParams.get('state') ?? '')
  const { page } = await openTab(browser)
  await page.goto(replayed.href)
  await expectFailure(
    { page, login, home },
    { status: 4, message: /has expired, was used before/, hint: /The redirect URI must match/ },
  )
})

test('an expired code exits with 4 and a hint to sign in again', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const login = await startLogin(home, service)
  const late = await authorize(login.address, service)
  const database = await openSqlite(join(service.home, 'workspace.db'))
  database.prepare('UPDATE authorization_codes SET expires_at = ?').run([Date.now() - 1])
  database.close()
  const { page } = await openTab(browser)
  await page.goto(late.href)
  await expectFailure(
    { page, login, home },
    { status: 4, message: /has expired, was used before/, hint: /The redirect URI must match/ },
  )
})

test('login exits with 6 when the service stops between consent and token exchange', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const login = await startLogin(home, service)
  const answer = await authorize(login.address, service)
  service.serveProcess.child.kill('SIGTERM')
  await service.serveProcess.exit
  const { page } = await openTab(browser)
  await page.goto(answer.href)
  await expectFailure(
    { page, login, home },
    { status: 6, message: /cannot be reached \(connection refused\)/, hint: /Check the network/ },
  )
})

test('a token endpoint that returns HTML exits with 7 and names the address to check', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const pages = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Welcome</title>')
  })
  onTestFinished(() => void pages.close())
  const port = await listenOnFreePort(pages)
  const login = await startLogin(home, service, { url: `http://127.0.0.1:${port}/api/v1` })
  const { page } = await openTab(browser)
  const state = login.address.searchParams.get('state') ?? ''
  await page.goto(`${login.redirectUri}?${new URLSearchParams({ code: 'a-code', state })}`)
  await expectFailure(
    { page, login, home },
    {
      status: 7,
      message: /returned a web page titled "Welcome" instead of JSON/,
      hint: /--auth-url/,
    },
  )
})
