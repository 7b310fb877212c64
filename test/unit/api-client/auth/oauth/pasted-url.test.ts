import { expect, test } from 'vitest'
import { TtError } from '../../../../../src/lib/errors.js'
import { isListening } from '../../../../support/ports.js'
import { rejectionOf } from '../../test-server.js'
import { pastingTerminal, silentTerminal, startAuthorization } from './sign-in-fixtures.js'

test('prompts again until the pasted address is valid, and reports each problem', async () => {
  const { paste, promptForUrl } = pastingTerminal()
  const { outcome, pasteProblems, callbackUrl, redirectUri } = await startAuthorization({ promptForUrl })
  for (const [text, problem] of [
    ['the-code', 'It is not a URL.'],
    [callbackUrl({ code: 'the-code', state: 'wrong' }), 'It belongs to another sign-in'],
  ] as const) {
    const count = pasteProblems.length
    paste(text)
    await expect.poll(() => pasteProblems.length).toBe(count + 1)
    expect(pasteProblems.at(-1)).toContain(problem)
    expect(pasteProblems.at(-1)).not.toContain('the-code')
  }
  paste(callbackUrl())
  expect(await outcome).toMatchObject({ code: 'the-code', redirectUri: redirectUri.href })
  expect(await isListening(redirectUri)).toBe(false)
})

test('a pasted denial ends the sign-in as in the browser', async () => {
  const { paste, promptForUrl } = pastingTerminal()
  const { outcome, callbackUrl } = await startAuthorization({ promptForUrl })
  paste(new URL(callbackUrl({ error: 'access_denied' })).search)
  expect(await rejectionOf(outcome)).toMatchObject({ code: 'unauthenticated' })
})

test('the response of the browser closes the prompt in the terminal before the exchange', async () => {
  const { prompts, promptForUrl } = silentTerminal()
  const { outcome, callbackUrl } = await startAuthorization({ promptForUrl }, async () =>
    prompts.map(({ aborted }) => aborted),
  )
  await fetch(callbackUrl())
  expect(await outcome).toEqual([true])
})

test.each(['https://example.com/cb', 'urn:ietf:wg:oauth:2.0:oob'])(
  'prompts for the address with the redirect URI %s',
  async (redirectUri) => {
    const { paste, promptForUrl } = pastingTerminal()
    const { outcome, parameters, instructions } = await startAuthorization({ redirectUri, promptForUrl })
    expect(instructions).toMatchObject({ redirectUri, hasCallbackServer: false })
    paste(`code=the-code&state=${parameters.get('state')}`)
    expect(await outcome).toMatchObject({ code: 'the-code', redirectUri })
  },
)

test('an error of the prompt ends the sign-in', async () => {
  const gone = new TtError('interrupted', 'Gone.')
  const { outcome, redirectUri } = await startAuthorization({ promptForUrl: () => Promise.reject(gone) })
  await expect(outcome).rejects.toBe(gone)
  expect(await isListening(redirectUri)).toBe(false)
})
