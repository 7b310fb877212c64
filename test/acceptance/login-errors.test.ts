import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectNoPageFlaws, openTab, setUpBrowser, submitSignInForm } from '../support/browser.js'
import { findFreePort, isListening } from '../support/ports.js'
import { temporaryDirectory } from '../support/process.js'
import { type LoginProcess, startLogin, startTestService } from '../support/sign-in.js'

setUpBrowser()

/** Expects no stored profile or secret and a closed port. */
async function expectNothingStored({ redirectUri }: LoginProcess, home: string) {
  expect(await isListening(redirectUri)).toBe(false)
  expect(existsSync(join(home, 'profiles.json'))).toBe(false)
  const credentials = join(home, 'credentials')
  expect(existsSync(credentials) ? readdirSync(credentials) : []).toEqual([])
}

test('a wrong client secret exits with 4 and a hint to check ID and secret', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const login = await startLogin(home, service, { clientSecret: 'tts_not-this-one' })
  const { page, errors } = await openTab()
  await page.goto(login.address.href)
  await submitSignInForm(page, service.email, service.password)
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('heading', { name: 'Not signed in' }).waitFor()
  const outcome = await login.exit
  expect(outcome).toMatchObject({ status: 4, stdout: '' })
  for (const text of [await page.getByRole('alert').textContent(), outcome.stderr]) {
    expect(text).toMatch(/does not accept the client ID or the client secret/)
    expect(text).toMatch(/Both must match/)
  }
  await expectNothingStored(login, home)
  await expectNoPageFlaws(page)
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
  const { page } = await openTab()
  const response = await page.goto(login.address.href)
  expect(response?.status()).toBe(400)
  expect(page.url()).toBe(login.address.href)
  expect(await page.getByRole('alert').textContent()).toContain(
    `${redirectUri} is not a registered redirect URI of Desktop`,
  )
  await expectNoPageFlaws(page)

  expect(login.output()).toMatch(/shows an error and does not return, compare/)
  expect(login.output()).toContain(`redirect URI  ${redirectUri}\n`)
  expect(login.output()).toContain(`client ID     ${service.clientId}\n`)
  login.child.kill('SIGINT')
  expect(await login.exit).toMatchObject({ status: 130, stdout: '' })
  expect(login.output()).toContain('The sign-in was not completed.')
  await expectNothingStored(login, home)
})
