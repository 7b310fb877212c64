import type { Dialect } from './schema.js'

/** A piece of SQL: the text around its values, and the values. */
export class Sql {
  constructor(
    readonly texts: readonly string[],
    readonly values: readonly unknown[],
  ) {}
}

/**
 * SQL as it is written, for the queries that every request makes: Kysely's builder, which the rest of the service
 * uses, takes longer to load than such a request takes as a whole. What is put in is spliced where it is SQL itself,
 * and otherwise sent apart from the text, as a value.
 */
export function sql(strings: TemplateStringsArray, ...parts: readonly unknown[]): Sql {
  const texts = [strings[0] ?? '']
  const values: unknown[] = []
  const append = (text: string) => {
    texts.push(`${texts.pop()}${text}`)
  }
  parts.forEach((part, index) => {
    const after = strings[index + 1] ?? ''
    if (part instanceof Sql) {
      append(part.texts[0] ?? '')
      texts.push(...part.texts.slice(1))
      values.push(...part.values)
      append(after)
    } else {
      texts.push(after)
      values.push(part)
    }
  })
  return new Sql(texts, values)
}

/** A table, or with a second name its column, quoted. */
export function identifier(table: string, column?: string): Sql {
  const quoted = (word: string) => `"${word.replaceAll('"', '""')}"`
  return new Sql([column === undefined ? quoted(table) : `${quoted(table)}.${quoted(column)}`], [])
}

/** The parts one after the other, with SQL between them. */
export function joinSql(parts: readonly unknown[], between = sql`, `): Sql {
  return parts.reduce<Sql>(
    (before, part, index) => (index === 0 ? sql`${part}` : sql`${before}${between}${part}`),
    sql``,
  )
}

/** The text for a database, with the marks that stand for values there. */
export function toSqlText({ texts }: Sql, dialect: Dialect): string {
  return texts.reduce((before, text, index) => `${before}${dialect === 'sqlite' ? '?' : `$${index}`}${text}`)
}
