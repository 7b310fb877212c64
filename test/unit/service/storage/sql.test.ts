import { expect, test } from 'vitest'
import { identifier, joinSql, Sql, sql, toSqlText } from '../../../../src/service/storage/sql.js'

test('an inserted value becomes a bound value, never SQL', () => {
  const query = sql`select * from notes where text = ${"'; drop table notes; --"} and id = ${7}`
  expect(toSqlText(query, 'sqlite')).toBe('select * from notes where text = ? and id = ?')
  expect(toSqlText(query, 'postgres')).toBe('select * from notes where text = $1 and id = $2')
  expect(query.values).toEqual(["'; drop table notes; --", 7])
})

test('SQL inside SQL is inserted, and its values keep their order', () => {
  const inner = sql`between ${2} and ${3}`
  const query = sql`a = ${1} and b ${inner} and c = ${4}`
  expect(toSqlText(query, 'postgres')).toBe('a = $1 and b between $2 and $3 and c = $4')
  expect(query.values).toEqual([1, 2, 3, 4])
})

test('null and undefined are bound values', () => {
  expect(sql`${null}, ${undefined}`).toEqual(new Sql(['', ', ', ''], [null, undefined]))
})

test('identifier quotes every name', () => {
  expect(toSqlText(identifier('users', 'email'), 'sqlite')).toBe('"users"."email"')
  expect(toSqlText(identifier('a"b'), 'postgres')).toBe('"a""b"')
})

test('joinSql joins parts with commas or a given separator', () => {
  expect(toSqlText(joinSql([1, sql`now()`, 2]), 'postgres')).toBe('$1, now(), $2')
  expect(toSqlText(joinSql([sql`a`, sql`b`], ' and '), 'sqlite')).toBe('a and b')
  expect(toSqlText(joinSql([]), 'sqlite')).toBe('')
})
