import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ProgramCommand } from '../../src/program/command-tree.js'
import { createProgram, everyCommand } from '../../src/program/program.js'
import { missingBrowserReason } from '../support/browser.js'
import { parseCommandLine, splitCommandLine } from '../support/examples.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

const root = new URL('../../', import.meta.url)
const textOf = (page: string) => readFileSync(new URL(page, root), 'utf8')
const pages = [
  'README.md',
  ...readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'src/build/README.md',
]

/** Lines in the documentation that are not commands of `tt`. */
const unknownLines: Record<string, string[]> = {
  // Aliases.
  'docs/scripting.md': ['tt standup --csv', 'tt billed Acme -o acme.pdf'],
}

/** The line of the README that installs `tt` and starts the timer with which the tour begins. */
const firstLine = /^npm ci && npm link && (tt start .*)$/m.exec(textOf('README.md'))?.[1] ?? ''

/** Times of commands of the tour; other commands run at the time of the previous one. */
const clock: Record<string, string> = {
  [firstLine]: '2024-05-01T09:30:00',
  'tt status': '2024-05-01T10:54:00',
  'tt start desi': '2024-05-01T10:55:00',
  'tt log': '2024-05-01T11:00:00',
}

test('the tour shows the output of tt (to update it: npx vitest run test/command/readme.test.ts -u)', async () => {
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

test('tt accepts every command line of the documentation', async () => {
  const lines = pages.flatMap((page) =>
    [...textOf(page).matchAll(/```sh\n([\s\S]*?)```/g)]
      .flatMap(([, block = '']) =>
        block
          .replace(/\\\n\s*/g, ' ')
          .trim()
          .split('\n'),
      )
      // Variables and other programs may precede tt, also a container of that name.
      .flatMap((line) => /(?:^|[\s&(])(tt (?!tt ).*)/.exec(line)?.[1] ?? []),
  )
  expect(lines.length).toBeGreaterThan(150)
  for (const line of new Set(lines)) await expect(parseCommandLine(line), line).resolves.toBeUndefined()
})

test('every command and option in the sentences of the documentation exists', async () => {
  const tree = await createProgram({ invoke: async () => {}, writeOut: () => {}, writeErr: () => {} })
  const commands = everyCommand(tree).sort((one, other) => other.path.length - one.path.length)
  const optionsOf = (command: ProgramCommand) =>
    [tree, command, command.defaultCommand].flatMap((each) => each?.options.map(({ long }) => long) ?? [])
  const allOptions = commands.flatMap(optionsOf)
  const isKnown = (line: string) => {
    const command = commands.find(({ path }) => `${line} `.startsWith(`${path} `))
    const isGroup = command && command.commands.length > 0 && !command.defaultCommand
    if (isGroup && /^ [a-z]/.test(line.slice(command.path.length))) return false
    const known = line.startsWith('tt ') ? command && optionsOf(command) : allOptions
    const typed = line.match(/(?<=^| )--[a-z][\w-]*/g) ?? []
    return known !== undefined && typed.every((option) => option === '--help' || known.includes(option))
  }
  for (const page of pages) {
    const prose = textOf(page).replace(/```[\s\S]*?```/g, '')
    // Not those of other programs, such as `psql --username=tt tt`, and not `tt NAME` or `tt --version`.
    const lines = [...prose.matchAll(/(?<=`|&& )(tt [a-z]|--(?![\w-]+=))[^`\n]*?(?=`| &&)/g)].map(
      ([line]) => line,
    )
    const unknown = lines.filter((line) => !isKnown(line))
    expect.soft(unknown, page).toEqual(unknownLines[page] ?? [])
  }
})

test.each(pages)('%s links only to files and headings that exist', (page) => {
  const here = new URL(page, root)
  const prose = textOf(page).replace(/```[\s\S]*?```|`[^`\n]*`/g, '')
  for (const [, target = ''] of prose.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
    const url = new URL(target, here)
    const text = readFileSync(new URL(url.pathname, url), 'utf8')
    if (url.hash) expect(anchors(text), target).toContain(url.hash)
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

/** Returns the fragment of each heading, as GitHub generates it. */
function anchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(
    ([, title = '']) =>
      `#${title
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replace(/\s/g, '-')}`,
  )
}
