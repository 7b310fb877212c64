import type { Dialect } from './schema.js'

/** A part of an SQL query: the texts between its values, and the values. */
export class Sql {
  constructor(
    readonly texts: readonly string[],
    readonly values: readonly unknown[],
  ) {}
}

/**
 * Template tag for the SQL queries of API requests. They do not use Kysely, unlike the rest of the service, because
 * loading it takes longer than a whole request. Parts that are `Sql` are inserted as SQL; all others become bound values.
 */
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

/** Returns the quoted name of a table, or of one of its columns. */
export function identifier(table: string, column?: string): Sql {
  const quote = (word: string) => `"${word.replaceAll('"', '""')}"`
  return new Sql([column === undefined ? quote(table) : `${quote(table)}.${quote(column)}`], [])
}

/**
 * Returns a whole number as a part of the text, for the limit of a page: with a bound one, PostgreSQL expects so many
 * records of a prepared statement that it plans it again for each execution.
 */
export function literal(number: number): Sql {
  return new Sql([String(Math.trunc(number))], [])
}

/** Joins the parts with a separator, which is SQL. */
export function joinSql(parts: readonly unknown[], separator = ', '): Sql {
  const [, ...others] = parts
  return sql(['', ...others.map(() => separator), ''], ...parts)
}

/** Returns the text of a query with the placeholders of the database for its values. */
export function toSqlText({ texts }: Sql, dialect: Dialect): string {
  return texts.reduce((before, text, index) => `${before}${dialect === 'sqlite' ? '?' : `$${index}`}${text}`)
}
