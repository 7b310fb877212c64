import { expect, test } from 'vitest'
import { TtError } from '../../../../src/lib/errors.js'
import { failureOf } from '../../api/loopback.js'
import { begin, listens, silentTerminal } from './sign-in-fixtures.js'

test('what is pasted wrongly is told and asked for again, until it is right', async () => {
  let paste: (text: string) => void = () => {}
  const next = () =>
    new Promise<string>((resolve) => {
      paste = resolve
    })
  const { outcome, said, back, landing } = await begin({ promptForUrl: next })
  expect(said.at(-1)).toMatch(/copy the whole\naddress of that page/)
  for (const [text, problem] of [
    ['the-code', 'It is not an address.'],
    ['https://example.com/oauth/authorize?x=1', `It does not begin with ${landing.href}.`],
    [back({ code: 'the-code', state: 'wrong' }), 'It belongs to another sign-in'],
    ['code=the-code', 'It has no state.'],
  ] as const) {
    const before = said.length
    paste(text)
    await expect.poll(() => said.length).toBe(before + 1)
    expect(said.at(-1)).toContain(problem)
    expect(said.at(-1)).not.toContain('the-code')
  }
  paste(back())
  expect(await outcome).toMatchObject({ code: 'the-code', redirectUri: landing.href })
  expect(await listens(landing)).toBe(false)
})

test('a pasted denial ends the sign-in as in the browser', async () => {
  let paste: (text: string) => void = () => {}
  const { outcome, back } = await begin({
    promptForUrl: () =>
      new Promise<string>((resolve) => {
        paste = resolve
      }),
  })
  paste(new URL(back({ error: 'access_denied' })).search)
  expect(await failureOf(outcome)).toMatchObject({ code: 'unauthenticated' })
})

test('when the browser is first, the question in the terminal is taken away before the exchange', async () => {
  const { questions, pasted: promptForUrl } = silentTerminal()
  const { outcome, back } = await begin({ promptForUrl }, async () => questions.map(({ aborted }) => aborted))
  await fetch(back())
  expect(await outcome).toEqual([true])
})

test.each(['https://example.com/cb', 'urn:ietf:wg:oauth:2.0:oob'])(
  'for the redirect URI %s the answer is pasted',
  async (redirectUri) => {
    let paste: (text: string) => void = () => {}
    const { outcome, asked, said } = await begin({
      redirectUri,
      promptForUrl: () =>
        new Promise<string>((resolve) => {
          paste = resolve
        }),
    })
    expect(said.join()).not.toContain('Waiting for the browser to come back')
    paste(`code=the-code&state=${asked.get('state')}`)
    expect(await outcome).toMatchObject({ code: 'the-code', redirectUri })
  },
)

test('a redirect URI that needs pasting is refused where nobody can paste', async () => {
  expect(await failureOf(begin({ redirectUri: 'https://example.com/cb' }))).toMatchObject({
    code: 'usage',
    message: expect.stringContaining('has to be pasted'),
  })
})

test('a terminal that ends, ends the sign-in', async () => {
  const gone = new TtError('interrupted', 'Gone.')
  const { outcome, landing } = await begin({ promptForUrl: () => Promise.reject(gone) })
  await expect(outcome).rejects.toBe(gone)
  expect(await listens(landing)).toBe(false)
})
