import { expect } from 'vitest'

/** The outcome of a command that prints nothing on stdout, and a message that contains these words. */
export const rejection = (status: number, words: string) => ({
  ...{ status, stdout: '', stderr: expect.stringContaining(words) },
})
