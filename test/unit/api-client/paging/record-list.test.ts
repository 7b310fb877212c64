import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IdSet } from '../../../../src/api-client/paging/record-list.js'

const id = fc.oneof(
  fc.nat(200),
  fc.maxSafeNat(),
  fc.nat(200).map(String),
  fc.constantFrom('', '01', '1.0', '-1', '1e3', ' 1', '9007199254740993', '9007199254740992', 'a'),
  fc.uuid(),
)

test('the set contains the added IDs, and add() returns whether an ID is new', () => {
  fc.assert(
    fc.property(fc.array(id), fc.array(id), (added, others) => {
      const [set, plain] = [new IdSet(), new Set<string>()]
      for (const one of added) {
        expect(set.add(one)).toBe(!plain.has(String(one)))
        plain.add(String(one))
      }
      for (const one of [...added, ...others]) expect(set.has(one)).toBe(plain.has(String(one)))
    }),
  )
})
