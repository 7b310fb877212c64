/** Standard output or standard error. */
export interface TextStream {
  readonly isTTY?: boolean
  /** The width of the terminal. */
  readonly columns?: number | undefined
  /** The height of the terminal in lines. */
  readonly rows?: number | undefined
  /** `done` is called when the text is written, or with the error. */
  write(text: string, done?: (error?: Error | null) => void): unknown
}
