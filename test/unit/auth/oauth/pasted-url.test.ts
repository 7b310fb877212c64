import { expect, test } from 'vitest'
import { TtError } from '../../../../src/lib/errors.js'
import { rejectionOf } from '../../api/test-server.js'
import { isListening, silentTerminal, startAuthorization } from './sign-in-fixtures.js'

test('what is pasted wrongly is told and asked for again, until it is right', async () => {
  let paste: (text: string) => void = () => {}
  const next = () =>
    new Promise<string>((resolve) => {
      paste = resolve
    })
  const { outcome, output, callbackUrl, redirectUri } = await startAuthorization({ promptForUrl: next })
  expect(output.at(-1)).toMatch(/copy the\nfull address of that page/)
  for (const [text, problem] of [
    ['the-code', 'It is not an address.'],
    ['https://example.com/oauth/authorize?x=1', `It does not begin with ${redirectUri.href}.`],
    [callbackUrl({ code: 'the-code', state: 'wrong' }), 'It belongs to another sign-in'],
    ['code=the-code', 'It has no state.'],
  ] as const) {
    const before = output.length
    paste(text)
    await expect.poll(() => output.length).toBe(before + 1)
    expect(output.at(-1)).toContain(problem)
    expect(output.at(-1)).not.toContain('the-code')
  }
  paste(callbackUrl())
  expect(await outcome).toMatchObject({ code: 'the-code', redirectUri: redirectUri.href })
  expect(await isListening(redirectUri)).toBe(false)
})

test('a pasted denial ends the sign-in as in the browser', async () => {
  let paste: (text: string) => void = () => {}
  const { outcome, callbackUrl } = await startAuthorization({
    promptForUrl: () =>
      new Promise<string>((resolve) => {
        paste = resolve
      }),
  })
  paste(new URL(callbackUrl({ error: 'access_denied' })).search)
  expect(await rejectionOf(outcome)).toMatchObject({ code: 'unauthenticated' })
})

test('when the browser is first, the question in the terminal is taken away before the exchange', async () => {
  const { questions, pasted: promptForUrl } = silentTerminal()
  const { outcome, callbackUrl } = await startAuthorization({ promptForUrl }, async () =>
    questions.map(({ aborted }) => aborted),
  )
  await fetch(callbackUrl())
  expect(await outcome).toEqual([true])
})

test.each(['https://example.com/cb', 'urn:ietf:wg:oauth:2.0:oob'])(
  'for the redirect URI %s the answer is pasted',
  async (redirectUri) => {
    let paste: (text: string) => void = () => {}
    const { outcome, parameters, output } = await startAuthorization({
      redirectUri,
      promptForUrl: () =>
        new Promise<string>((resolve) => {
          paste = resolve
        }),
    })
    expect(output.join()).not.toContain('Waiting for the browser to return')
    paste(`code=the-code&state=${parameters.get('state')}`)
    expect(await outcome).toMatchObject({ code: 'the-code', redirectUri })
  },
)

test('a redirect URI that needs pasting is refused where nobody can paste', async () => {
  expect(await rejectionOf(startAuthorization({ redirectUri: 'https://example.com/cb' }))).toMatchObject({
    code: 'usage',
    message: expect.stringContaining('Cannot prompt for the address'),
  })
})

test('a terminal that ends, ends the sign-in', async () => {
  const gone = new TtError('interrupted', 'Gone.')
  const { outcome, redirectUri } = await startAuthorization({ promptForUrl: () => Promise.reject(gone) })
  await expect(outcome).rejects.toBe(gone)
  expect(await isListening(redirectUri)).toBe(false)
})
