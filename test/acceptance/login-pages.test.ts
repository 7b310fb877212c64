import { expect, test } from 'vitest'
import { expectNoPageFlaws, findFlaws, openTab, setUpBrowser, submitSignInForm } from '../support/browser.js'
import { startOidcProvider } from '../support/oidc-provider.js'
import { outlineOf } from '../support/page-flaws.js'
import { isListening } from '../support/ports.js'
import { temporaryDirectory, tt, ttJson } from '../support/process.js'
import { startLogin, startTestService } from '../support/sign-in.js'

setUpBrowser()

test('the page reports a wrong password and retains the email; the right password and consent sign tt in', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const login = await startLogin(home, service)
  const { page, errors } = await openTab()

  await page.goto(login.address.href)
  await expectNoPageFlaws(page)
  await submitSignInForm(page, service.email, 'not the password')

  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('alert').textContent()).toContain('is wrong')
  expect(await page.getByLabel('Email').inputValue()).toBe(service.email)
  expect(await page.getByLabel('Password').inputValue()).toBe('')
  // Screen readers announce the reason with each field, and the focus is on the wrong one.
  expect(await page.getByLabel('Password').getAttribute('aria-describedby')).toBe('problem')
  expect(await page.getByLabel('Password').evaluate((field) => field.matches(':focus'))).toBe(true)
  expect(await page.title()).toBe('Sign in again')
  await expectNoPageFlaws(page)

  await submitSignInForm(page, service.email, service.password)
  await page.getByRole('heading', { name: 'Allow access?' }).waitFor()
  expect(await page.getByRole('listitem').allTextContents()).toEqual([
    expect.stringContaining('View your time entries'),
    expect.stringContaining('Add, change and delete'),
  ])
  await expectNoPageFlaws(page)

  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('heading', { name: 'Signed in' }).waitFor()
  expect(await page.getByRole('main').textContent()).toContain('return to the terminal')
  await expectNoPageFlaws(page)

  const outcome = await login.exit
  expect(outcome).toMatchObject({ status: 0 })
  expect(outcome.stderr).toMatch(
    new RegExp(
      `Signed in to .+ \\(company 1\\) at ${service.url} as Ada <${service.email}>\\. The profile is "127\\.0\\.0\\.1-\\d+"`,
    ),
  )
  expect(errors).toEqual([])
  expect(await isListening(login.redirectUri)).toBe(false)
  expect(JSON.parse((await tt(home, ['whoami', '--json'])).stdout)).toMatchObject({
    base_url: service.url,
    method: 'oauth',
    scope: 'service:read service:write',
    signed_in: true,
  })
})

test('the start page shows the command that signs in', async () => {
  const service = await startTestService()
  const { page, errors } = await openTab()
  const { origin } = new URL(service.url)
  await page.goto(origin)
  const command = page.getByText('tt login')
  expect(await command.textContent()).toBe(`tt login --base-url ${service.url}`)
  await command.click()
  expect(await page.evaluate('getSelection().toString()')).toBe(`tt login --base-url ${service.url}`)
  await expectNoPageFlaws(page)
  expect(errors).toEqual([])
})

test('denied consent is shown in the browser, and tt exits with 4 and a hint', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const login = await startLogin(home, service)
  const { page, errors } = await openTab()
  await page.goto(login.address.href)
  await submitSignInForm(page, service.email, service.password)
  await page.getByRole('button', { name: 'Deny' }).click()

  await page.getByRole('heading', { name: 'Not signed in' }).waitFor()
  expect(await page.getByRole('alert').textContent()).toContain('Access was denied')
  expect(await page.getByRole('main').textContent()).toContain('return to the terminal')
  await expectNoPageFlaws(page)

  const outcome = await login.exit
  expect(outcome).toMatchObject({ status: 4, stdout: '' })
  expect(outcome.stderr).toContain('Access was denied in the browser')
  expect(outcome.stderr).toContain('Run `tt login` to sign in, and allow access.')
  expect(errors).toEqual([])
  expect((await tt(home, ['profiles', '--json'])).stdout).not.toContain(service.url)
})

test('sign-in and consent work by keyboard alone, with a visible focus', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const login = await startLogin(home, service)
  const { page } = await openTab()
  await page.goto(login.address.href)
  /** Presses Tab until the focus is on the element, and expects a visible focus each time. */
  const tabTo = async (name: string) => {
    for (let steps = 0; steps < 10; steps++) {
      const focus = page.locator(':focus-visible')
      if ((await focus.count()) > 0) {
        expect(await focus.evaluate(outlineOf)).toEqual('solid 3px')
        if ((await focus.ariaSnapshot()).includes(`"${name}"`)) return
      }
      await page.keyboard.press('Tab')
    }
    throw new Error(`Tab does not lead to ${name}.`)
  }
  await tabTo('Email address')
  await page.keyboard.type(service.email)
  await tabTo('Password')
  await page.keyboard.type(service.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Allow access?' }).waitFor()
  await tabTo('Use another account')
  await tabTo('Deny')
  await page.keyboard.press('Shift+Tab')
  await tabTo('Allow')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Signed in' }).waitFor()
  expect(await login.exit).toMatchObject({ status: 0 })
})

test('the page checks find faint text and edges, a field without a label, small buttons, and overflow', async () => {
  const { page, errors } = await openTab()
  await page.setContent(`<main><p style="color:#999">faint</p>
    <p style="color:#868686;font-size:2rem">large</p><p style="background:#000000b3;color:#000">shaded</p>
    <input id="nameless" style="border: 1px solid #ccc"><button style="width:20px">a</button><button style="width:20px">b</button>
    <div style="width:3000px">wide</div></main><img alt="" src="http://127.0.0.1:1/none">`)
  expect(await findFlaws(page)).toEqual([
    ['color-contrast', ...['faint', 'large', 'shaded'].map((text) => expect.stringContaining(text))],
    ['document-title', '<html>'],
    ['html-has-lang', '<html>'],
    ['label', expect.stringContaining('nameless')],
    ['page-has-heading-one', '<html>'],
    ['target-size', expect.stringMatching(/<button.*a/), expect.stringMatching(/<button.*b/)],
    '<input> "nameless" has an edge with a contrast of 1.61',
    '<input> "nameless" has no visible label',
    'the page does not have exactly one h1',
    expect.stringMatching(/^<input> "nameless" is \d+ × \d+ px/),
    ...['a', 'b'].map((name) => expect.stringContaining(`<button> "${name}" is 20 × `)),
    expect.stringMatching(/^the page is 30\d\d px wide/),
    '<div> "wide" overflows the window',
  ])
  expect(errors).toEqual([expect.stringContaining('/none'), expect.stringContaining('ERR_')])
})

test('a user signs in with an OpenID Connect provider, and without its password', async () => {
  const provider = await startOidcProvider({
    redirectUri: 'http://127.0.0.1/oauth/authorize/provider/callback',
    claims: () => ({ email: 'ada@example.com', email_verified: true }),
  })
  const service = await startTestService(
    ...['--oidc-issuer', provider.origin, '--oidc-client-id', provider.client.id],
    ...['--oidc-client-secret', provider.client.secret, '--oidc-name', 'Example ID'],
  )
  const home = temporaryDirectory()
  const login = await startLogin(home, service)
  const { page, errors } = await openTab()

  await page.goto(login.address.href)
  await expectNoPageFlaws(page)
  await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
  await page.getByPlaceholder('Enter any login').fill('account-1')
  await page.getByPlaceholder('and password').fill('x')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Allow access?' }).waitFor()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('heading', { name: 'Signed in' }).waitFor()

  expect((await login.exit).stderr).toContain(`as Ada <${service.email}>`)
  // The pages of the provider load fonts and icons from elsewhere.
  expect(errors.filter((error) => !/ERR_NAME_NOT_RESOLVED|404/.test(error))).toEqual([])
  const audit = await ttJson<{ event: string; details: string }[]>(service.home, 'admin', 'audit')
  expect(audit.filter(({ event }) => /linked|sign_in/.test(event)).map(({ details }) => details)).toEqual([
    provider.origin,
    provider.origin,
  ])
})
