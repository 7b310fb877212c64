/** How a token was issued: to an application, as a legacy key for a password, or by an administrator. */
export type TokenKind = 'oauth' | 'key' | 'admin'

/** Whether users see all projects of the company, or only those of their assignments. */
export type Visibility = 'open' | 'assigned'

export type Dialect = 'sqlite' | 'postgres'

/** The number of migrations, which an up-to-date database stores as its version; the compiler compares it with the list. */
export const schemaVersion = 18
