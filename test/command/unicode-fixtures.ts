import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { displayWidth } from '../../src/ui/text.js'
import { preparedCli } from '../support/prepared-cli.js'
import type { TestCli } from '../support/test-cli.js'

/** Start, duration, task and notes of each entry. */
const unicodeEntries = [
  ['2024-04-29 09:00', '1h30m', 'Acme/Website/Design', 'Kick-off, with "everyone"; see C:\\notes\\new'],
  ['2024-04-29 10:30', '45m', '株式会社アクメ/設計/レビュー', '設計レビューと 검토 회의'],
  ['2024-04-29 22:30', '3h', 'Acme/Website/Launch', 'tea 🍵 with 👩‍👩‍👧‍👦 and 🇩🇪 1️⃣ until late'],
  ['2024-04-30 08:00', '12m', 'שלום/אתר/עיצוב', 'פגישה עם הלקוח, page 2'],
  ['2024-04-30 08:12', '48m', 'Internal/Support', 'سَلَامٌ، اجتماع قصير'],
  ['2024-04-30 09:00', '7h59m', 'Internal/Support', 'first line\nsecond | line\twith `code` and <b>tags</b>'],
  ['2024-05-01 09:00', '1m', 'Acme/Website/Design', '=SUM(A1:A9)'],
  ['2024-05-01 09:01', '59m', 'Acme/Website/Design', 'cafe\u0301 हिन्दी \u001b[31mred'],
] as const

/** Creates a `TestCli` with a week of entries whose names and notes use many scripts, and a running timer. */
export const createUnicodeCli = preparedCli('2024-05-01T12:00:00', async (cli) => {
  for (const [from, length, task, notes] of unicodeEntries)
    await cli.json('add', task, '--from', from, '--for', length, '-n', notes, '--create')
  await cli.json('start', 'Internal/Support', '--at', '11:15', '-n', 'still at it')
})

/** Reads an expected output. These files are written by hand, after a review of the output on a terminal. */
export const readGolden = (name: string) => readFileSync(new URL(`golden/${name}`, import.meta.url), 'utf8')

/** Expects that the command prints an expected output, whose lines fit in the terminal. */
export async function expectGolden(cli: TestCli, name: string, columns: number, ...argv: string[]) {
  const { stdout } = await cli.runInTerminal(columns, ...argv)
  for (const line of stdout.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
  expect(stdout).toBe(readGolden(`${name}-${columns}.txt`))
}
