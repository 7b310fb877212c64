import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  pictureColumns,
  pictureEnvironment,
  pictureScene,
  pictureSetup,
  terminalPicture,
} from '../../src/build/terminal-picture.js'
import { newDesk } from '../support/test-cli.js'

test('the terminal picture shows the output of tt (npm run pictures)', async () => {
  const desk = newDesk()
  delete desk.env.NO_COLOR
  Object.assign(desk.env, pictureEnvironment)
  const run = async (time: string, line: string) => {
    desk.at(time)
    const { stdout, stderr } = await desk.terminal(pictureColumns, ...wordsOf(line))
    return stderr + stdout
  }
  for (const [time, line] of pictureSetup) await run(time, line)
  const commands: { line: string; output: string }[] = []
  for (const [time, line] of pictureScene) commands.push({ line, output: await run(time, line) })
  const picture = readFileSync(new URL('../../docs/images/terminal.svg', import.meta.url), 'utf8')
  expect(terminalPicture(commands)).toBe(picture)
})

function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
}
