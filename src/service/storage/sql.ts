import type { Dialect } from './schema.js'

/** A part of an SQL query: the texts between its values, and the values. */
export class Sql {
  constructor(
    readonly texts: readonly string[],
    readonly values: readonly unknown[],
  ) {}
}

/** Template tag for SQL. Parts that are `Sql` are inserted as SQL; all others become bound values. */
export function sql(strings: readonly string[], ...parts: readonly unknown[]): Sql {
  const texts: string[] = []
  const values: unknown[] = []
  let text = strings[0] ?? ''
  parts.forEach((part, index) => {
    if (part instanceof Sql) {
      part.values.forEach((value, position) => {
        texts.push(text + part.texts[position])
        values.push(value)
        text = ''
      })
      text += part.texts.at(-1)
    } else {
      texts.push(text)
      values.push(part)
      text = ''
    }
    text += strings[index + 1]
  })
  texts.push(text)
  return new Sql(texts, values)
}

/** Returns the quoted name of a table or column, or of a column of a table. */
export function identifier(name: string, column?: string): Sql {
  const quote = (word: string) => `"${word.replaceAll('"', '""')}"`
  return rawSql(column === undefined ? quote(name) : `${quote(name)}.${quote(column)}`)
}

/**
 * Returns a whole number as a part of the text, for the limit of a page: with a bound one, PostgreSQL expects so many
 * records of a prepared statement that it plans it again for each execution.
 */
export function literal(number: number): Sql {
  return rawSql(String(Math.trunc(number)))
}

/** Returns a text as SQL. It must not contain anything that a user can choose. */
export function rawSql(text: string): Sql {
  return new Sql([text], [])
}

/** Joins the parts with a separator, which is SQL. */
export function joinSql(parts: readonly unknown[], separator = ', '): Sql {
  const [, ...others] = parts
  return sql(['', ...others.map(() => separator), ''], ...parts)
}

/** Returns the condition that all of these hold. Those that are false or undefined are left out. */
export function allOf(...conditions: readonly (Sql | false | undefined)[]): Sql {
  const given = conditions.filter((condition) => condition instanceof Sql)
  return given.length > 0 ? joinSql(given, ' and ') : sql`true`
}

/** The values of columns of a row, by their names. */
export type ColumnValues = Readonly<Record<string, unknown>>

/** Returns a statement that inserts rows. All have the columns of the first one. */
export function insertInto(table: string, ...rows: readonly ColumnValues[]): Sql {
  const columns = Object.keys(rows[0] ?? {})
  const names = joinSql(columns.map((column) => identifier(column)))
  const values = rows.map((row) => sql`(${joinSql(columns.map((column) => row[column]))})`)
  return sql`insert into ${identifier(table)} (${names}) values ${joinSql(values)}`
}

/** Returns the assignments of an update. Columns whose value is undefined are left out. */
export function assignSql(values: ColumnValues): Sql {
  const defined = Object.entries(values).filter(([, value]) => value !== undefined)
  return joinSql(defined.map(([column, value]) => sql`${identifier(column)} = ${value}`))
}

/** Returns the text of a query with the placeholders of the database for its values. */
export function toSqlText({ texts }: Sql, dialect: Dialect): string {
  return texts.reduce((before, text, index) => `${before}${dialect === 'sqlite' ? '?' : `$${index}`}${text}`)
}
