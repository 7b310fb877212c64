import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type KeychainItems,
  readSecret,
  removeSecret,
  writeSecret,
} from '../../../../src/auth/credentials/keychain-items.js'
import { rejectionOf } from '../../api/test-server.js'

/** CRED_MAX_CREDENTIAL_BLOB_SIZE of Windows, in bytes of UTF-16. */
const mostBytes = 2560

/** A keychain in memory that can break off: at its n-th call, before that has been done or after. */
class Keychain implements KeychainItems {
  readonly held = new Map<string, string>()
  calls = 0
  constructor(readonly maxCharacters = 1200) {}
  #breakAt = Number.POSITIVE_INFINITY
  #when: 'before' | 'after' = 'before'

  breakAt(call: number, when: 'before' | 'after') {
    this.calls = 0
    this.#breakAt = call
    this.#when = when
  }
  heal() {
    this.#breakAt = Number.POSITIVE_INFINITY
  }
  get = (account: string) => this.#call(() => this.held.get(account) ?? null)
  set = (account: string, secret: string) => this.#call(() => void this.held.set(account, secret))
  remove = (account: string) => this.#call(() => this.held.delete(account))

  async #call<Result>(work: () => Result): Promise<Result> {
    const breaks = ++this.calls >= this.#breakAt
    if (breaks && (this.#when === 'before' || this.calls > this.#breakAt)) throw new Error('Cut off.')
    const result = work()
    if (breaks) throw new Error('Cut off.')
    return result
  }
}

/** Secrets are JSON: of no, one and many parts, in any script, with halves of surrogate pairs and a header's beginning. */
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

const inUse = (keychain: Keychain) => [...keychain.held.keys()].sort()

/** What is read, as the value that the JSON stands for. */
async function read(keychain: Keychain, profile = 'acme'): Promise<unknown> {
  const text = await readSecret(keychain, profile)
  return text === null ? null : JSON.parse(text)
}

test('a secret of any length and characters is read as it was written, in items that Windows takes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(secrets, { minLength: 1, maxLength: 4 }), async (written) => {
      const keychain = new Keychain()
      for (const secret of written) {
        await writeSecret(keychain, 'acme', secret)
        expect(await read(keychain)).toEqual(JSON.parse(secret))
        for (const item of keychain.held.values()) {
          expect(Buffer.byteLength(item, 'utf16le')).toBeLessThanOrEqual(mostBytes)
          expect(item).toMatch(/^[\0-\x7f]*$/)
        }
      }
      const last = new Keychain()
      await writeSecret(last, 'acme', written.at(-1) ?? '')
      // Nothing is left over of those before; the parts may be of the other generation.
      expect(keychain.held.size).toBe(last.held.size)
      await removeSecret(keychain, 'acme')
      expect(inUse(keychain)).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test.each<'before' | 'after'>(['before', 'after'])(
  'a write that is cut off %s any of its calls leaves the old secret or the new one, and nothing for long',
  async (when) => {
    await fc.assert(
      fc.asyncProperty(secrets, secrets, secrets, async (old, replacement, later) => {
        const calls = await callsOf(old, (keychain) => writeSecret(keychain, 'acme', replacement))
        for (let call = 1; call <= calls; call++) {
          const keychain = await holding(old)
          keychain.breakAt(call, when)
          await expect(writeSecret(keychain, 'acme', replacement)).rejects.toThrow('Cut off.')
          keychain.heal()
          expect([JSON.parse(old), JSON.parse(replacement)]).toContainEqual(await read(keychain))

          await writeSecret(keychain, 'acme', later)
          expect(await read(keychain)).toEqual(JSON.parse(later))
          expect(keychain.held.size).toBe((await holding(later)).held.size)
        }
      }),
      { numRuns: 100 },
    )
  },
)

test.each<'before' | 'after'>(['before', 'after'])(
  'writes that are cut off %s a call one after the other never make a mixture',
  async (when) => {
    const cuts = fc.array(fc.tuple(secrets, fc.integer({ min: 1, max: 12 })), { minLength: 2, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(secrets, cuts, async (old, attempts) => {
        const keychain = await holding(old)
        let possible = [JSON.parse(old)]
        for (const [secret, call] of attempts) {
          keychain.breakAt(call, when)
          await writeSecret(keychain, 'acme', secret).catch(() => {})
          keychain.heal()
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
  'a removal that is cut off %s any of its calls leaves the secret or none, and the next one takes the rest',
  async (when) => {
    await fc.assert(
      fc.asyncProperty(secrets, async (secret) => {
        const calls = await callsOf(secret, (keychain) => removeSecret(keychain, 'acme'))
        for (let call = 1; call <= calls; call++) {
          const keychain = await holding(secret)
          keychain.breakAt(call, when)
          await expect(removeSecret(keychain, 'acme')).rejects.toThrow('Cut off.')
          keychain.heal()
          expect([JSON.parse(secret), null]).toContainEqual(await read(keychain))
          await removeSecret(keychain, 'acme')
          expect(inUse(keychain)).toEqual([])
        }
      }),
      { numRuns: 100 },
    )
  },
)

test('where an item takes any length, a profile is always one item', async () => {
  await fc.assert(
    fc.asyncProperty(secrets, async (secret) => {
      // Such as what a JSON Web Token of many claims comes to.
      const keychain = new Keychain(Number.POSITIVE_INFINITY)
      await writeSecret(keychain, 'acme', JSON.stringify({ method: 'oauth', secret }))
      expect(inUse(keychain)).toEqual(['acme'])
      expect(await read(keychain)).toEqual({ method: 'oauth', secret })
    }),
  )
})

test('the secret of another profile is left alone', async () => {
  const keychain = await holding(JSON.stringify('z'.repeat(5000)))
  await writeSecret(keychain, 'acme.two', '"other"')
  await removeSecret(keychain, 'acme')
  expect(inUse(keychain)).toEqual(['acme.two'])
})

test('a reader between two writers finds one of their secrets', async () => {
  const [one, two] = ['1', '2'].map((digit) => JSON.stringify(digit.repeat(3000)))
  const keychain = await holding(one ?? '')
  const found: unknown[] = []
  const between: KeychainItems = {
    ...keychain,
    maxCharacters: 1200,
    async get(account) {
      // The other generation takes over right after the header has been read.
      const item = await keychain.get(account)
      if (account === 'acme' && found.push(item) === 1) await writeSecret(keychain, 'acme', two ?? '')
      return item
    },
  }
  expect(await readSecret(between, 'acme')).toBe(two)
  expect(found).toHaveLength(2)
})

test.each([
  ['a missing part', (keychain: Keychain) => keychain.held.delete('acme#a6')],
  ['a part of something else', (keychain: Keychain) => keychain.held.set('acme#a1', 'sesame')],
  ['a damaged header', (keychain: Keychain) => keychain.held.set('acme', '{"generation":"a","sesame')],
])('%s is told, without what is there', async (_, damage) => {
  const keychain = await holding(JSON.stringify('sesame'.repeat(1000)))
  damage(keychain)
  const failure = await rejectionOf(readSecret(keychain, 'acme'))
  expect(failure).toMatchObject({ code: 'failure', nextStep: { action: 'sign_in' } })
  expect(`${failure.message} ${failure.hint} ${failure.cause}`).not.toContain('sesame')

  await writeSecret(keychain, 'acme', '"new"')
  expect([...keychain.held]).toEqual([['acme', '"new"']])
})

async function holding(secret: string): Promise<Keychain> {
  const keychain = new Keychain()
  await writeSecret(keychain, 'acme', secret)
  return keychain
}

async function callsOf(held: string, work: (keychain: Keychain) => Promise<void>): Promise<number> {
  const keychain = await holding(held)
  keychain.calls = 0
  await work(keychain)
  return keychain.calls
}
