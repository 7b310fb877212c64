import { dictionary } from '@zxcvbn-ts/language-common'

/** The passwords that people use most, in lower case. They take 0.5 MB, so that this module is loaded only on demand. */
export const commonPasswords: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].map((password) => password.toLowerCase()),
)
