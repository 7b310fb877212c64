// @module-tag slow

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { missingBrowserReason } from '../support/browser.js'
import { splitCommandLine } from '../support/examples.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

const root = new URL('../../', import.meta.url)
const textOf = (page: string) => readFileSync(new URL(page, root), 'utf8')

/** The line of the README that installs `tt` and starts the timer with which the tour begins. */
const firstLine = /^npm ci && npm link && (tt start .*)$/m.exec(textOf('README.md'))?.[1] ?? ''

/** Times of commands of the tour; other commands run at the time of the previous one. */
const clock: Record<string, string> = {
  [firstLine]: '2024-05-01T09:30:00',
  'tt status': '2024-05-01T10:54:00',
  'tt start desi': '2024-05-01T10:55:00',
  'tt log': '2024-05-01T11:00:00',
}

test('the tour shows the output of tt (to update it: npx vitest run test/command/documented-output.test.ts -u)', async () => {
  const cli = createTourCli()
  expect((await outputOf(firstLine, cli)).replaceAll('\n', ' ')).toBe(
    'Your time is stored on this machine, in the local workspace (/home/ada/workspace.db). To use a service ' +
      'instead, sign in with `tt login`. Created Website / Design. Started Website / Design at 09:30. ',
  )
  for (const page of ['README.md', 'docs/reports.md']) {
    const text = await withOutput(textOf(page), cli)
    await expect(text).toMatchFileSnapshot(new URL(page, root).pathname)
  }
})

/** Times of commands of the month in docs/invoices.md. */
const invoiceClock: Record<string, string> = {
  'tt config set rate.Acme 95EUR': '2024-05-02T09:00:00',
  'tt add Acme/Website/Design --from "2024-05-06 9:00" --for 2h30m -n "first page"': '2024-05-31T18:00:00',
  'tt invoice Acme --dry-run': '2024-06-03T09:00:00',
  'tt invoice void 2024-001 --yes': '2024-06-20T09:00:00',
}

test('the month of a freelancer shows the output of tt (to update it: like the tour)', async ({ skip }) => {
  skip(missingBrowserReason !== undefined, missingBrowserReason)
  const cli = createTourCli()
  cli.env.CHROME_PATH = '/usr/bin/chromium'
  await cli.run('clients', 'add', 'Acme')
  const text = await withOutput(textOf('docs/invoices.md'), cli, invoiceClock)
  await expect(text).toMatchFileSnapshot(new URL('docs/invoices.md', root).pathname)
})

test.each([
  ['just after midnight on a Monday', '2024-04-29T00:00:30'],
  ['at the end of a Sunday', '2024-05-05T23:59:59'],
  ['at the start of a year', '2025-01-01T08:00:00'],
])('the commands of the tour work one after another %s', async (_, time) => {
  const cli = createTourCli(time)
  const lines = [...textOf('README.md').matchAll(/^\$ (.*)$/gm)].flatMap(([, line]) => line ?? [])
  expect(lines.length).toBeGreaterThan(10)
  for (const line of [firstLine, ...lines]) {
    const { status } = await cli.runInTerminal(100, ...splitCommandLine(line).slice(1))
    // The one typo.
    expect({ line, status }).toEqual({ line, status: line.includes('Webiste') ? 2 : 0 })
  }
})

function createTourCli(time?: string): TestCli {
  const cli = createTestCli(time)
  cli.env.LC_ALL = 'C.UTF-8'
  return cli
}

/** Returns the text with the real output under each command of its `console` blocks. */
async function withOutput(text: string, cli: TestCli, times = clock): Promise<string> {
  const blocks = text.split(/(?<=```console\n)([\s\S]*?)(?=```)/)
  expect(blocks.length).toBeGreaterThan(2)
  for (const [index, block] of blocks.entries()) {
    if (index % 2 === 0) continue
    const parts: string[] = []
    for (const part of block.split(/^(?=\$ )/m)) {
      const line = part.split('\n', 1)[0]?.slice(2) ?? ''
      expect(splitCommandLine(`${line} .`).at(-1), 'needs a shell').toBe('.')
      parts.push(`$ ${line}\n${await outputOf(line, cli, times)}`)
    }
    blocks[index] = parts.join('')
  }
  return blocks.join('')
}

const progressLine = new RegExp(`\\r?${String.fromCharCode(27)}\\[K([^\\n]*?…)?`, 'g')

async function outputOf(line: string, cli: TestCli, times = clock): Promise<string> {
  if (times[line]) cli.setTime(times[line])
  const { stdout, stderr } = await cli.runInTerminal(100, ...splitCommandLine(line).slice(1))
  const shown = `${stderr}${stdout}`.replaceAll(`${cli.home}/`, '/home/ada/')
  // A progress line, which appears on a slow machine, is replaced by the next message.
  return shown.replaceAll(progressLine, '')
}
