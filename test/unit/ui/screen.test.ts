import { expect, test } from 'vitest'
import { Screen } from '../../../src/ui/screen.js'

const ESC = '\u001b'

function createScreen(columns = 10, rows = 3) {
  const writes: string[] = []
  const output = { columns, rows, write: (text: string) => writes.push(text) }
  const screen = new Screen(output, () => {})
  screen.enter()
  const drawn = (lines: string[]) => {
    const start = writes.length
    screen.draw(lines)
    return writes.slice(start)
  }
  return { screen, writes, output, drawn }
}

test('writes a frame at once, and only the lines that differ', () => {
  const { drawn } = createScreen()
  expect(drawn(['one', 'two', 'three'])).toEqual([
    `${ESC}[?2026h${ESC}[1;1Hone${ESC}[K${ESC}[2;1Htwo${ESC}[K${ESC}[3;1Hthree${ESC}[K${ESC}[?2026l`,
  ])
  expect(drawn(['one', 'two', 'three'])).toEqual([])
  expect(drawn(['one', '2', 'three'])).toEqual([`${ESC}[?2026h${ESC}[2;1H2${ESC}[K${ESC}[?2026l`])
  expect(drawn(['one'])).toEqual([`${ESC}[?2026h${ESC}[2;1H${ESC}[K${ESC}[3;1H${ESC}[K${ESC}[?2026l`])
})

test('never writes outside the terminal, and does not erase the last column', () => {
  const { drawn } = createScreen(5, 2)
  expect(drawn(['12345', 'longer than five', 'below'])).toEqual([
    `${ESC}[?2026h${ESC}[1;1H12345${ESC}[2;1Hlong…${ESC}[?2026l`,
  ])
})

test('draws everything again after the size has changed', () => {
  const { drawn, output } = createScreen()
  drawn(['one', 'two'])
  output.columns = 20
  expect(drawn(['one', 'two'])).toEqual([
    `${ESC}[?2026h${ESC}[2J${ESC}[1;1Hone${ESC}[K${ESC}[2;1Htwo${ESC}[K${ESC}[?2026l`,
  ])
})

test('leaves once: shows the cursor and the former screen, and draws nothing afterwards', () => {
  const { screen, writes, drawn } = createScreen()
  screen.leave()
  screen.leave()
  expect(writes.slice(1)).toEqual([`${ESC}[?2004l${ESC}[?25h${ESC}[?1049l`])
  expect(drawn(['one'])).toEqual([])
  screen.enter()
  expect(drawn(['one'])).toHaveLength(1)
})

test('control characters are escaped', () => {
  const { drawn } = createScreen(30)
  expect(drawn([`${ESC}[2Ja${ESC}[1mbold${ESC}[22m`])[0]).toContain(`\\x1b[2Ja${ESC}[1mbold${ESC}[22m`)
})

test('reports a terminal that is gone', () => {
  let failures = 0
  const write = (_: string, done?: (error?: Error | null) => void) => done?.(new Error('EIO'))
  new Screen({ write }, () => failures++).enter()
  expect(failures).toBe(1)
})
