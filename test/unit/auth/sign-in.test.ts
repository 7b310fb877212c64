import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { signIn } from '../../../src/auth/sign-in.js'
import { TtError } from '../../../src/errors.js'
import { failureOf } from '../api/loopback.js'
import { begin, listens } from './signing-in.js'

/** A terminal into which the lines are pasted, one each time it asks, and then nothing. */
function terminal(...lines: string[]) {
  const asked: AbortSignal[] = []
  return {
    asked,
    pasted(signal: AbortSignal): Promise<string> {
      asked.push(signal)
      const line = lines.shift()
      if (line !== undefined) return Promise.resolve(line)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  }
}

test('the challenge that was sent is that of the verifier that the exchange gets', async () => {
  const { outcome, asked, back } = await begin()
  expect(asked.get('code_challenge_method')).toBe('S256')
  await fetch(back())
  const { verifier } = await outcome
  expect(createHash('sha256').update(verifier).digest('base64url')).toBe(asked.get('code_challenge'))
  expect(verifier).toMatch(/^[A-Za-z0-9._~-]{43,128}$/)
})

test('state, challenge and verifier are new at each sign-in, and the verifier stays here', async () => {
  const runs = await Promise.all([begin(), begin()])
  for (const name of ['state', 'code_challenge']) {
    expect(new Set(runs.map(({ asked }) => asked.get(name))).size).toBe(2)
  }
  for (const { back, outcome, said, asked } of runs) {
    await fetch(back())
    const { verifier } = await outcome
    expect(said.join()).not.toContain(verifier)
    expect(asked.get('state')).not.toBe(verifier)
  }
})

test('the address is said before the browser is opened with it', async () => {
  const events: string[] = []
  const controller = new AbortController()
  const outcome = signIn(
    {
      clientId: 'tt-client',
      scope: 'service:read',
      authorizationEndpoint: 'https://example.com/oauth/authorize',
      signal: controller.signal,
      timeoutMs: 60_000,
      say: (text) => void events.push(`said ${/https:\S+/.exec(text)?.[0]}`),
      openBrowser: async (url) => {
        events.push(`opened ${url}`)
        controller.abort()
      },
    },
    async () => 'done',
  )
  await failureOf(outcome)
  const [said = '', , opened] = events
  expect(said).toMatch(/^said https:/)
  expect(opened).toBe(said.replace('said', 'opened'))
})

test('while it waits it says that the browser may stay at an error, and what to check', async () => {
  const { said, landing } = await begin()
  const words = said.join('\n')
  expect(words).toContain(`come back to ${landing.href} (at most 1 minute; Ctrl-C gives up)`)
  expect(words).toMatch(/shows an error instead and stays there/)
  expect(words).toMatch(/client id +tt-client/)
  expect(words).toMatch(/redirect URI +http:\/\/127\.0\.0\.1\/callback \(with any port\)/)
  expect(words).toMatch(/scopes +service:read service:write/)
  expect(words).not.toContain('paste')
})

test('a browser that cannot be opened is told, and the wait goes on', async () => {
  const { said, back, outcome } = await begin({
    openBrowser: () => Promise.reject(new TtError('failure', 'No browser could be opened (none).')),
  })
  await expect
    .poll(() => said.at(-1))
    .toBe('No browser could be opened (none). Open the address above yourself.')
  await fetch(back())
  expect(await outcome).toMatchObject({ code: 'the-code' })
})

test('a browser that never says that it is open holds nothing up', async () => {
  const { back, outcome } = await begin({ openBrowser: () => new Promise(() => {}) })
  await fetch(back())
  expect(await outcome).toMatchObject({ code: 'the-code' })
})

test('denied consent is unauthenticated, and says how to try again', async () => {
  const { outcome, back, landing } = await begin()
  const page = await (await fetch(back({ error: 'access_denied' }))).text()
  const failure = await failureOf(outcome)
  expect(failure).toMatchObject({ code: 'unauthenticated', hint: expect.stringContaining('tt login') })
  expect(failure.message).toContain('denied')
  expect(page).toContain('Access was denied in the browser.')
  expect(await listens(landing)).toBe(false)
})

test('an answer of another issuer ends the sign-in, and its code goes nowhere', async () => {
  const codes: string[] = []
  const { outcome, back } = await begin({ issuer: 'https://example.com' }, async ({ code }) =>
    codes.push(code),
  )
  const page = await fetch(back({ code: 'the-code', iss: 'https://evil.example' }))
  expect(await page.text()).toContain('Not signed in')
  expect(await failureOf(outcome)).toMatchObject({ code: 'rejected' })
  expect(codes).toEqual([])
})

test('an answer without the issuer that the metadata promised ends the sign-in', async () => {
  const { outcome, back } = await begin({ issuer: 'https://example.com', issParameterPromised: true })
  await fetch(back())
  expect((await failureOf(outcome)).message).toContain('does not say who it comes from')
})

test('the right issuer is accepted', async () => {
  const { outcome, back } = await begin({ issuer: 'https://example.com', issParameterPromised: true })
  await fetch(back({ code: 'the-code', iss: 'https://example.com' }))
  expect(await outcome).toMatchObject({ code: 'the-code' })
})

test('what is pasted wrongly is told and asked for again, until it is right', async () => {
  let paste: (text: string) => void = () => {}
  const next = () =>
    new Promise<string>((resolve) => {
      paste = resolve
    })
  const { outcome, said, back, landing } = await begin({ pasted: next })
  expect(said.at(-1)).toContain('Or paste here the whole address')
  for (const [text, flaw] of [
    ['the-code', 'It is not an address.'],
    ['https://example.com/oauth/authorize?x=1', `It does not begin with ${landing.href}.`],
    [back({ code: 'the-code', state: 'wrong' }), 'It belongs to another sign-in'],
    ['code=the-code', 'It has no state.'],
  ] as const) {
    const before = said.length
    paste(text)
    await expect.poll(() => said.length).toBe(before + 1)
    expect(said.at(-1)).toContain(flaw)
    expect(said.at(-1)).not.toContain('the-code')
  }
  paste(back())
  expect(await outcome).toMatchObject({ code: 'the-code', redirectUri: landing.href })
  expect(await listens(landing)).toBe(false)
})

test('a pasted denial ends the sign-in as in the browser', async () => {
  let paste: (text: string) => void = () => {}
  const { outcome, back } = await begin({
    pasted: () =>
      new Promise<string>((resolve) => {
        paste = resolve
      }),
  })
  paste(new URL(back({ error: 'access_denied' })).search)
  expect(await failureOf(outcome)).toMatchObject({ code: 'unauthenticated' })
})

test('when the browser is first, the question in the terminal is taken away before the exchange', async () => {
  const { asked, pasted } = terminal()
  const { outcome, back } = await begin({ pasted }, async () => asked.map(({ aborted }) => aborted))
  await fetch(back())
  expect(await outcome).toEqual([true])
})

test.each(['https://example.com/cb', 'urn:ietf:wg:oauth:2.0:oob'])(
  'for the redirect URI %s the answer is pasted',
  async (redirectUri) => {
    let paste: (text: string) => void = () => {}
    const { outcome, asked, said } = await begin({
      redirectUri,
      pasted: () =>
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
  const { outcome, landing } = await begin({ pasted: () => Promise.reject(gone) })
  await expect(outcome).rejects.toBe(gone)
  expect(await listens(landing)).toBe(false)
})

test('when time is up it says so and what to do, and nobody listens', async () => {
  const { asked: questions, pasted } = terminal()
  const { outcome, landing } = await begin({ timeoutMs: 50, pasted })
  const failure = await failureOf(outcome)
  expect(failure).toMatchObject({ code: 'unauthenticated', hint: expect.stringContaining('--no-browser') })
  expect(failure.message).toBe('Nobody signed in within 0.05 s.')
  expect(await listens(landing)).toBe(false)
  expect(questions[0]?.aborted).toBe(true)
})

test('the time limit is for the person: an exchange may go on beyond it', async () => {
  const { outcome, back } = await begin({ timeoutMs: 1_000 }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    return 'done'
  })
  await fetch(back())
  expect(await outcome).toBe('done')
})

test('Ctrl-C while it waits leaves no listener and no question', async () => {
  const { asked: questions, pasted } = terminal()
  const { outcome, landing, interrupt } = await begin({ pasted })
  interrupt()
  expect(await failureOf(outcome)).toMatchObject({ code: 'interrupted' })
  expect(await listens(landing)).toBe(false)
  expect(questions[0]?.aborted).toBe(true)
})

test('Ctrl-C during the exchange shows the browser that it came to nothing', async () => {
  const { outcome, landing, back, interrupt } = await begin({}, () => {
    interrupt()
    return new Promise<never>(() => {})
  })
  const page = await fetch(back())
  expect(await page.text()).toContain('Interrupted. Nobody was signed in.')
  expect(await failureOf(outcome)).toMatchObject({ code: 'interrupted' })
  expect(await listens(landing)).toBe(false)
})

test('a sign-in that was given up before it began says nothing', async () => {
  const said: string[] = []
  const request = {
    clientId: 'tt-client',
    scope: 'service:read',
    authorizationEndpoint: 'https://example.com/oauth/authorize',
    signal: AbortSignal.abort(),
    timeoutMs: 1_000,
    say: (text: string) => void said.push(text),
  }
  expect(await failureOf(signIn(request, async () => 'done'))).toMatchObject({ code: 'interrupted' })
  expect(said).toEqual([])
})

test('an authorization endpoint that is no address leaves no listener', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const redirectUri = `http://127.0.0.1:${port}/cb`
  await expect(begin({ redirectUri, authorizationEndpoint: 'nonsense' })).rejects.toThrow()
  expect(await listens(new URL(redirectUri))).toBe(false)
})

const program = `
import { signIn } from './src/auth/sign-in.ts'
signIn({
  clientId: 'c', scope: 's', authorizationEndpoint: 'https://example.com/', signal: new AbortController().signal,
  timeoutMs: Number(process.env.LIMIT_MS), openBrowser: async (url) => process.stdout.write(url),
  say() {}, ...(process.env.PASTES ? { pasted: () => new Promise(() => {}) } : {}),
}, async ({ code }) => code).then((code) => process.stdout.write(code), (error) => process.stdout.write(error.code))
`

test.each([
  ['the browser has come back', true, '60000', 'the-code'],
  ['time is up', false, '200', 'unauthenticated'],
])(
  'nothing keeps the process alive once %s, though connections stay open',
  async (_, comesBack, limit, last) => {
    const root = new URL('../../../', import.meta.url).pathname
    const built = await build({
      stdin: { contents: program, resolveDir: root },
      bundle: true,
      platform: 'node',
      write: false,
    })
    const child = spawn(process.execPath, ['-'], { env: { LIMIT_MS: limit, PASTES: 'yes' } })
    child.stdin.end(built.outputFiles[0]?.text)
    let written = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      written += chunk
    })
    const ended = once(child, 'exit')
    await expect.poll(() => written).toContain('redirect_uri')
    const asked = new URL(written).searchParams
    const landing = new URL(asked.get('redirect_uri') ?? '')
    const idle = connect(Number(landing.port), landing.hostname)
    idle.on('error', () => {})
    if (comesBack) {
      landing.search = `code=the-code&state=${asked.get('state')}`
      expect((await fetch(landing)).status).toBe(200)
    }
    expect(await ended).toEqual([0, null])
    expect(written.slice(-last.length)).toBe(last)
  },
)
