import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type KeychainItems,
  readSecret,
  removeSecret,
  writeSecret,
} from '../../../../../src/api-client/auth/credentials/keychain-items.js'
import { rejectionOf } from '../../test-server.js'

/** CRED_MAX_CREDENTIAL_BLOB_SIZE of Windows, in bytes of UTF-16. */
const maxBytes = 2560

/** A keychain in memory that can fail at its nth call, before or after the change. */
class Keychain implements KeychainItems {
  readonly items = new Map<string, string>()
  calls = 0
  constructor(readonly maxCharacters = 1200) {}
  #failAt = Number.POSITIVE_INFINITY
  #when: 'before' | 'after' = 'before'

  failAt(call: number, when: 'before' | 'after') {
    this.calls = 0
    this.#failAt = call
    this.#when = when
  }
  repair() {
    this.#failAt = Number.POSITIVE_INFINITY
  }
  get = (account: string) => this.#call(() => this.items.get(account) ?? null)
  set = (account: string, secret: string) => this.#call(() => void this.items.set(account, secret))
  remove = (account: string) => this.#call(() => this.items.delete(account))

  async #call<Result>(work: () => Result): Promise<Result> {
    const fails = ++this.calls >= this.#failAt
    if (fails && (this.#when === 'before' || this.calls > this.#failAt)) throw new Error('Interrupted.')
    const result = work()
    if (fails) throw new Error('Interrupted.')
    return result
  }
}

/** JSON texts of one or more items, in any script, with lone surrogates and with text that resembles a header. */
const secrets = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.string({ unit: 'binary', minLength: 150, maxLength: 1500 }),
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 })
      .map((units) => String.fromCharCode(...units)),
    fc.integer({ min: 1150, max: 1250 }).map((length) => 'x'.repeat(length)),
    fc.integer({ min: 0, max: 9000 }).map((length) => 'y'.repeat(length)),
    fc.integer({ min: 0, max: 2000 }).map((length) => '€'.repeat(length)),
  )
  .chain((text) =>
    fc.constantFrom<unknown>({ key: text }, text, { generation: text }, { generation: 'a', parts: 2 }),
  )
  .map((value) => JSON.stringify(value))

const inUse = (keychain: Keychain) => [...keychain.items.keys()].sort()

/** Returns the parsed secret of a profile. */
async function read(keychain: Keychain, profile = 'acme'): Promise<unknown> {
  const text = await readSecret(keychain, profile)
  return text === null ? null : JSON.parse(text)
}

test('reads any secret as it was written, from items that fit the limit of Windows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(secrets, { minLength: 1, maxLength: 4 }), async (written) => {
      const keychain = new Keychain()
      for (const secret of written) {
        await writeSecret(keychain, 'acme', secret)
        expect(await read(keychain)).toEqual(JSON.parse(secret))
        for (const item of keychain.items.values()) {
          expect(Buffer.byteLength(item, 'utf16le')).toBeLessThanOrEqual(maxBytes)
          expect(item).toMatch(/^[\0-\x7f]*$/)
        }
      }
      const last = new Keychain()
      await writeSecret(last, 'acme', written.at(-1) ?? '')
      // No items of earlier secrets remain; the parts may belong to the other generation.
      expect(keychain.items.size).toBe(last.items.size)
      await removeSecret(keychain, 'acme')
      expect(inUse(keychain)).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test.each<'before' | 'after'>(['before', 'after'])(
  'a write that fails %s any of its calls leaves the old or the new secret, and the next write removes the rest',
  async (when) => {
    await fc.assert(
      fc.asyncProperty(secrets, secrets, secrets, async (old, replacement, later) => {
        const calls = await callsOf(old, (keychain) => writeSecret(keychain, 'acme', replacement))
        for (let call = 1; call <= calls; call++) {
          const keychain = await keychainWith(old)
          keychain.failAt(call, when)
          await expect(writeSecret(keychain, 'acme', replacement)).rejects.toThrow('Interrupted.')
          keychain.repair()
          expect([JSON.parse(old), JSON.parse(replacement)]).toContainEqual(await read(keychain))

          await writeSecret(keychain, 'acme', later)
          expect(await read(keychain)).toEqual(JSON.parse(later))
          expect(keychain.items.size).toBe((await keychainWith(later)).items.size)
        }
      }),
      { numRuns: 100 },
    )
  },
)

test.each<'before' | 'after'>(['before', 'after'])(
  'repeated writes that fail %s a call never mix secrets',
  async (when) => {
    const cuts = fc.array(fc.tuple(secrets, fc.integer({ min: 1, max: 12 })), { minLength: 2, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(secrets, cuts, async (old, attempts) => {
        const keychain = await keychainWith(old)
        let possible = [JSON.parse(old)]
        for (const [secret, call] of attempts) {
          keychain.failAt(call, when)
          await writeSecret(keychain, 'acme', secret).catch(() => {})
          keychain.repair()
          const found = await read(keychain)
          expect([...possible, JSON.parse(secret)]).toContainEqual(found)
          possible = [found]
        }
        await removeSecret(keychain, 'acme')
        expect(inUse(keychain)).toEqual([])
      }),
      { numRuns: 200 },
    )
  },
)

test.each<'before' | 'after'>(['before', 'after'])(
  'a removal that fails %s any of its calls leaves the secret or none, and the next removal deletes the rest',
  async (when) => {
    await fc.assert(
      fc.asyncProperty(secrets, async (secret) => {
        const calls = await callsOf(secret, (keychain) => removeSecret(keychain, 'acme'))
        for (let call = 1; call <= calls; call++) {
          const keychain = await keychainWith(secret)
          keychain.failAt(call, when)
          await expect(removeSecret(keychain, 'acme')).rejects.toThrow('Interrupted.')
          keychain.repair()
          expect([JSON.parse(secret), null]).toContainEqual(await read(keychain))
          await removeSecret(keychain, 'acme')
          expect(inUse(keychain)).toEqual([])
        }
      }),
      { numRuns: 100 },
    )
  },
)

test('a profile is a single item when the length of items is not limited', async () => {
  await fc.assert(
    fc.asyncProperty(secrets, async (secret) => {
      // As long as a JSON Web Token with many claims.
      const keychain = new Keychain(Number.POSITIVE_INFINITY)
      await writeSecret(keychain, 'acme', JSON.stringify({ method: 'oauth', secret }))
      expect(inUse(keychain)).toEqual(['acme'])
      expect(await read(keychain)).toEqual({ method: 'oauth', secret })
    }),
  )
})

test('removing a secret keeps the secret of another profile', async () => {
  const keychain = await keychainWith(JSON.stringify('z'.repeat(5000)))
  await writeSecret(keychain, 'acme.two', '"other"')
  await removeSecret(keychain, 'acme')
  expect(inUse(keychain)).toEqual(['acme.two'])
})

test('reading during a write returns one of the two secrets', async () => {
  const [one, two] = ['1', '2'].map((digit) => JSON.stringify(digit.repeat(3000)))
  const keychain = await keychainWith(one ?? '')
  const found: unknown[] = []
  const between: KeychainItems = {
    ...keychain,
    maxCharacters: 1200,
    async get(account) {
      // The other generation becomes current right after the header was read.
      const item = await keychain.get(account)
      if (account === 'acme' && found.push(item) === 1) await writeSecret(keychain, 'acme', two ?? '')
      return item
    },
  }
  expect(await readSecret(between, 'acme')).toBe(two)
  expect(found).toHaveLength(2)
})

test.each([
  ['a missing part', (keychain: Keychain) => keychain.items.delete('acme#a6')],
  ['a foreign part', (keychain: Keychain) => keychain.items.set('acme#a1', 'sesame')],
  ['a damaged header', (keychain: Keychain) => keychain.items.set('acme', '{"generation":"a","sesame')],
])('the error for %s does not show the content', async (_, damage) => {
  const keychain = await keychainWith(JSON.stringify('sesame'.repeat(1000)))
  damage(keychain)
  const failure = await rejectionOf(readSecret(keychain, 'acme'))
  expect(failure).toMatchObject({ code: 'failure', nextStep: { action: 'sign_in' } })
  expect(`${failure.message} ${failure.hint} ${failure.cause}`).not.toContain('sesame')

  await writeSecret(keychain, 'acme', '"new"')
  expect([...keychain.items]).toEqual([['acme', '"new"']])
})

async function keychainWith(secret: string): Promise<Keychain> {
  const keychain = new Keychain()
  await writeSecret(keychain, 'acme', secret)
  return keychain
}

async function callsOf(secret: string, work: (keychain: Keychain) => Promise<void>): Promise<number> {
  const keychain = await keychainWith(secret)
  keychain.calls = 0
  await work(keychain)
  return keychain.calls
}
