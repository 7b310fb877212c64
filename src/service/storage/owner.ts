/** The email address of the only user of a local workspace. */
export const ownerEmail = 'you@localhost'
