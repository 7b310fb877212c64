import { expect, test } from 'vitest'
import {
  allOf,
  assignSql,
  identifier,
  insertInto,
  joinSql,
  Sql,
  sql,
  toSqlText,
} from '../../../../src/service/storage/sql.js'

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

test('joinSql keeps the order of all values', () => {
  const numbers = Array.from({ length: 10_000 }, (_, index) => index)
  const joined = joinSql(numbers.map((number) => sql`(${number}, ${-number})`))
  expect(joined.values).toEqual(numbers.flatMap((number) => [number, -number]))
  expect(joined.texts).toHaveLength(20_001)
})

test('allOf leaves out what is false or undefined', () => {
  const condition = allOf(false, sql`a = ${1}`, undefined, sql`b = ${2}`)
  expect(toSqlText(condition, 'postgres')).toBe('a = $1 and b = $2')
  expect(condition.values).toEqual([1, 2])
  expect(toSqlText(allOf(), 'sqlite')).toBe('true')
})

test('insertInto has a row for each object, with the columns of the first', () => {
  const query = insertInto('notes', { id: 1, text: 'a' }, { text: null, id: sql`1 + ${1}` })
  expect(toSqlText(query, 'postgres')).toBe(
    'insert into "notes" ("id", "text") values ($1, $2), (1 + $3, $4)',
  )
  expect(query.values).toEqual([1, 'a', 1, null])
})

test('assignSql leaves out undefined values, and keeps null', () => {
  const query = assignSql({ text: null, title: undefined, id: 3 })
  expect(toSqlText(query, 'postgres')).toBe('"text" = $1, "id" = $2')
  expect(query.values).toEqual([null, 3])
})
