import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  pictureColumns,
  pictureEnvironment,
  pictureScene,
  pictureSetup,
  terminalPicture,
} from '../../src/build/documents/terminal-picture.js'
import { splitCommandLine } from '../support/examples.js'
import { createTestCli } from '../support/test-cli.js'

test('the terminal picture shows the output of tt (npm run pictures)', async () => {
  const cli = createTestCli()
  delete cli.env.NO_COLOR
  Object.assign(cli.env, pictureEnvironment)
  const run = async (time: string, line: string) => {
    cli.setTime(time)
    const { stdout, stderr } = await cli.runInTerminal(pictureColumns, ...splitCommandLine(line))
    return stderr + stdout
  }
  for (const [time, line] of pictureSetup) await run(time, line)
  const commands: { line: string; output: string }[] = []
  for (const [time, line] of pictureScene) commands.push({ line, output: await run(time, line) })
  const picture = readFileSync(new URL('../../docs/images/terminal.svg', import.meta.url), 'utf8')
  expect(terminalPicture(commands)).toBe(picture)
})
