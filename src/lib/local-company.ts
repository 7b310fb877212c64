/** The name of the company of a local workspace until an administrator sets another. */
export const localCompanyName = 'Local workspace'
