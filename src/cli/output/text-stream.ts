/** Standard output or standard error. */
export interface TextStream {
  readonly isTTY?: boolean
  /** The width of the terminal. */
  readonly columns?: number | undefined
  /** The height of the terminal in lines. */
  readonly rows?: number | undefined
  /** Writes the text, then calls `done`, with the error if writing failed. */
  write(text: string, done?: (error?: Error | null) => void): unknown
}
