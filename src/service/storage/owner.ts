/** The email address of the only user of a local workspace. */
export const ownerEmail = 'you@localhost'

/** The name of the company of a local workspace until an administrator sets another. */
export const localCompanyName = 'Local workspace'
