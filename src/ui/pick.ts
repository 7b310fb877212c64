import { CancelledPrompt } from '../lib/errors.js'
import { Keys } from './keys.js'
import type { Choice, Picker } from './picker.js'
import { displayWidth, escapeText, shortenText } from './text.js'
import type { Style } from './view.js'

/** The terminal below whose last line a picker is drawn. */
export interface PickerOutput extends NodeJS.WritableStream {
  columns?: number
  rows?: number
}

const ESC = '\u001b'
const bracketedPaste = { on: `${ESC}[?2004h`, off: `${ESC}[?2004l` }
/** What the keys of a picker do, for the line below it. */
export const pickerHelp = ['↑↓ select', 'Enter choose', 'Esc cancel']

/**
 * Shows a picker below the last line of the terminal until the user chooses. Uses the height of the terminal. Throws
 * TtError `interrupted` after Esc, Ctrl-C and the end of the input.
 */
export async function pick<Value>(
  picker: Picker<Value>,
  question: string,
  { input, output, style }: { input: NodeJS.ReadableStream; output: PickerOutput; style: Style },
): Promise<Value> {
  const drawing = new Drawing(output)
  const draw = () => {
    const { columns, rows } = drawing
    const { lines, cursor } = picker.lines(`? ${question}`, { columns, rows: rows - 2 }, style)
    drawing.draw([...lines, style.dim(shortenText(pickerHelp.join(' • '), columns - 1))], cursor)
  }
  // Many keys that arrive at once, such as those of pasted text, are drawn once.
  let scheduled: NodeJS.Immediate | undefined
  const drawLater = () => {
    scheduled ??= setImmediate(() => {
      scheduled = undefined
      draw()
    })
  }
  let keys: Keys | undefined
  try {
    const chosen = await new Promise<Choice<Value> | undefined>((resolve) => {
      let isDone = false
      const end = (choice?: Choice<Value>) => {
        isDone = true
        resolve(choice)
      }
      keys = new Keys(
        input,
        (key) => {
          if (isDone) return
          if ('name' in key && ['escape', 'ctrl-c', 'ctrl-d'].includes(key.name)) return end()
          const choice = picker.press(key)
          if (choice) return end(choice)
          drawLater()
        },
        () => end(),
      )
      keys.start()
      output.on('resize', drawLater)
      output.write(bracketedPaste.on)
      draw()
    })
    clearImmediate(scheduled)
    if (!chosen) {
      drawing.draw([shortenText(`? ${escapeText(question)}`, drawing.columns - 1)])
      throw new CancelledPrompt('interrupted')
    }
    const answer = `${style.green('✔')} ${style.bold(escapeText(question))} ${style.cyan(escapeText(chosen.name))}`
    drawing.draw([shortenText(answer, drawing.columns - 1)])
    return chosen.value
  } finally {
    clearImmediate(scheduled)
    keys?.stop()
    output.off('resize', drawLater)
    drawing.end()
    output.write(bracketedPaste.off)
  }
}

/** Lines that replace each other at the end of the terminal. */
class Drawing {
  readonly #output: PickerOutput
  #lines: readonly string[] = []
  /** The line with the cursor. */
  #row = 0

  constructor(output: PickerOutput) {
    this.#output = output
  }

  get columns(): number {
    return this.#output.columns || 80
  }

  get rows(): number {
    return this.#output.rows || 24
  }

  /** Replaces the lines; the cursor is at the end of the last one without a position. */
  draw(lines: readonly string[], cursor?: { row: number; column: number }) {
    const last = lines.length - 1
    const { row, column } = cursor ?? { row: last, column: displayWidth(lines[last] ?? '') }
    const up = last - row
    this.#output.write(
      `${this.#start}${ESC}[J${lines.join('\r\n')}${up > 0 ? `${ESC}[${up}A` : ''}\r${forward(column)}`,
    )
    this.#lines = lines
    this.#row = row
  }

  /** Moves the cursor below the lines. */
  end() {
    const down = this.#lines.length - 1 - this.#row
    this.#output.write(`${down > 0 ? `${ESC}[${down}B` : ''}\r\n`)
  }

  /** Moves the cursor to the first line, which a narrower terminal may have moved up by wrapping longer lines. */
  get #start(): string {
    const above = this.#lines.slice(0, this.#row)
    const rows = above.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / this.columns)),
      0,
    )
    return `\r${rows > 0 ? `${ESC}[${rows}A` : ''}`
  }
}

function forward(columns: number): string {
  return columns > 0 ? `${ESC}[${columns}C` : ''
}
