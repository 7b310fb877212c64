import { CancelledPrompt } from '../lib/errors.js'
import { fold } from '../lib/text/nearest-names.js'
import { type Key, Keys } from './keys.js'
import { displayWidth, escapeText, shortenText, wrapText } from './text.js'
import type { Style } from './view.js'

export interface Choice<Value> {
  name: string
  value: Value
  /** Text after the name, such as notes; typing finds it, too. */
  detail?: string | undefined
  /** Whether Enter chooses it only after the user has typed or moved to it. */
  isUnlikely?: boolean
}

export interface PickerOptions<Value> {
  /** Returns a further choice for the typed text, shown after the others. */
  createChoice?: ((typed: string) => Choice<Value> | undefined) | undefined
  /** Whether the keys 1 to 9 choose a row as long as nothing is typed. */
  hasNumbers?: boolean
}

export interface PickerSize {
  columns: number
  /** The most lines, including those of the question. */
  rows: number
}

/** Upper bound for the length of the typed text. */
const maxFilterLength = 200

/** A list of choices that typed words filter, in any order and without regard to case and accents. */
export class Picker<Value> {
  readonly #choices: (Choice<Value> & { folded: string })[] = []
  readonly #hasNumbers: boolean
  /** Returns a further choice for the typed text, shown after the others. */
  createChoice: PickerOptions<Value>['createChoice']
  #filter = ''
  /** The row that the user has moved to. */
  #moved: number | undefined
  #matches: readonly Choice<Value>[] | undefined

  constructor(
    choices: readonly Choice<Value>[],
    { createChoice, hasNumbers = false }: PickerOptions<Value> = {},
  ) {
    this.#hasNumbers = hasNumbers
    this.createChoice = createChoice
    this.add(choices)
  }

  add(choices: readonly Choice<Value>[]) {
    for (const choice of choices)
      this.#choices.push({ ...choice, folded: fold(`${choice.name} ${choice.detail ?? ''}`) })
    this.#matches = undefined
  }

  get choices(): readonly Choice<Value>[] {
    return this.#choices
  }

  /** The typed text. */
  get filter(): string {
    return this.#filter
  }

  /** The choices that contain all typed words. */
  get matches(): readonly Choice<Value>[] {
    if (!this.#matches) {
      const words = fold(this.#filter).split(/[\s/]+/)
      this.#matches = this.#choices.filter(({ folded }) => words.every((word) => folded.includes(word)))
    }
    return this.#matches
  }

  /** The choices in their order on the screen. */
  get rows(): readonly Choice<Value>[] {
    const created = this.createChoice?.(this.#filter)
    return created ? [...this.matches, created] : this.matches
  }

  /** The position of the selected choice in `rows`; -1 for none. */
  get selected(): number {
    return this.#selectedOf(this.rows)
  }

  /** Applies a key. Returns the choice that it confirms. */
  press(key: Key): Choice<Value> | undefined {
    if ('pasted' in key)
      this.#setFilter(this.#filter + key.pasted.slice(0, maxFilterLength).replace(/\s+/g, ' '))
    else if ('text' in key) {
      const numbered = this.#hasNumbers && this.#filter === '' ? this.#numbered(key.text) : undefined
      if (numbered) return numbered
      this.#setFilter(this.#filter + key.text)
    } else if (key.name === 'backspace') this.#setFilter([...this.#filter].slice(0, -1).join(''))
    else if (key.name === 'ctrl-w') this.#setFilter(this.#filter.replace(/\S*\s*$/, ''))
    else if (key.name === 'ctrl-u') this.#setFilter('')
    else if (key.name === 'up' || key.name === 'ctrl-p') this.#move(-1)
    else if (key.name === 'down' || key.name === 'ctrl-n') this.#move(1)
    else if (key.name === 'return' || key.name === 'enter') return this.rows[this.selected]
    return undefined
  }

  /**
   * Returns the question with the typed text, and the rows around the selected one: at most as many lines and columns as
   * there are. `cursor` is the position after the typed text.
   */
  lines(question: string, { columns, rows: height }: PickerSize, style: Style) {
    const head = this.#head(question, columns, style)
    const cursor = { row: head.length - 1, column: displayWidth(head.at(-1) ?? '') }
    const rows = this.rows
    const selected = this.#selectedOf(rows)
    const isShown = windowOf(rows.length, this.matches.length, selected, Math.max(1, height - head.length))
    const body = rows.flatMap((choice, index) =>
      isShown(index) ? [this.#rowText(choice, index, index === selected, columns, style)] : [],
    )
    const note = this.#note(rows, selected)
    if (note !== '') body.push(style.dim(shortenText(note, columns - 1)))
    return { lines: [...head, ...body].slice(0, height), cursor }
  }

  /** Returns the note below rows without a selected one after typing; empty for others. */
  #note(rows: readonly Choice<Value>[], selected: number): string {
    if (selected >= 0 || (rows.length > 0 && this.#filter === '')) return ''
    if (this.#filter === '') return 'Type a name.'
    return `Nothing matches.${rows.length > 0 ? ' ↓ selects the new one.' : ''}`
  }

  /** Returns the lines of the question, and the end of the typed text that has room after it. */
  #head(question: string, columns: number, style: Style): string[] {
    const lines = wrapText(escapeText(question), Math.max(1, columns - 1))
    const last = lines.pop() ?? ''
    const bold = lines.map((line) => style.bold(line))
    const minRoom = Math.min(12, columns - 2)
    const isNarrow = columns - displayWidth(last) - 2 < minRoom
    const before = isNarrow ? '' : `${style.bold(last)} `
    const room = Math.max(1, columns - displayWidth(before) - 1)
    return [
      ...bold,
      ...(isNarrow ? [style.bold(last)] : []),
      `${before}${endOf(escapeText(this.#filter), room)}`,
    ]
  }

  #rowText(
    { name, detail }: Choice<Value>,
    index: number,
    isSelected: boolean,
    columns: number,
    style: Style,
  ) {
    const number = this.#hasNumbers && this.#filter === '' ? `${index < 9 ? index + 1 : ' '} ` : ''
    const text = [escapeText(name), detail && style.dim(escapeText(detail))].filter(Boolean).join('  ')
    // The last column stays empty because a full line wraps on some terminals.
    const line = shortenText(`${isSelected ? '❯' : ' '} ${number}${text}`, columns - 1)
    return isSelected ? style.cyan(line) : line
  }

  #numbered(text: string): Choice<Value> | undefined {
    return /^[1-9]$/.test(text) ? this.rows[Number(text) - 1] : undefined
  }

  #setFilter(filter: string) {
    this.#filter = filter.slice(0, maxFilterLength)
    this.#matches = undefined
    this.#moved = undefined
  }

  #move(step: number) {
    this.#moved = Math.max(0, Math.min(this.selected + step, this.rows.length - 1))
  }

  #selectedOf(rows: readonly Choice<Value>[]): number {
    if (this.#moved !== undefined) return Math.min(this.#moved, rows.length - 1)
    if (this.#filter === '') return rows.findIndex(({ isUnlikely }) => !isUnlikely)
    // Enter alone creates nothing beside existing choices: the text may be meant for them.
    return this.matches.length > 0 || (rows.length > 0 && this.#choices.length === 0) ? 0 : -1
  }
}

/**
 * Returns whether a row is among the `height` rows around the selected one. The rows after the matches, such as that of a
 * new task, are always shown.
 */
function windowOf(count: number, matches: number, selected: number, height: number) {
  const room = Math.max(1, height - (count - matches))
  const start = Math.max(0, Math.min(selected - Math.floor(room / 2), matches - room))
  return (index: number) => index >= matches || (index >= start && index < start + room)
}

/** Returns the end of a text that has at most this width. */
function endOf(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  const characters = [...text]
  while (characters.length > 0 && displayWidth(characters.join('')) > width - 1) characters.shift()
  return `…${characters.join('')}`
}

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
