import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
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

/** Times of commands of the tour; other commands run at the time of the previous one. */
const clock: Record<string, string> = {
  'tt start Website/Design --notes "first page"': '2024-05-01T09:30:00',
  'tt status': '2024-05-01T10:54:00',
  'tt start desi --at -5m': '2024-05-01T11:00:00',
}

test('the tour shows the output of tt (to update it: npx vitest run test/command/readme.test.ts -u)', async () => {
  const cli = createTestCli()
  cli.env.LC_ALL = 'C.UTF-8'
  for (const page of ['README.md', 'docs/reports.md']) {
    const text = await withOutput(textOf(page), cli)
    await expect(text).toMatchFileSnapshot(new URL(page, root).pathname)
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

test.each(pages)('%s links only to files and headings that exist', (page) => {
  const here = new URL(page, root)
  const prose = textOf(page).replace(/```[\s\S]*?```|`[^`\n]*`/g, '')
  for (const [, target = ''] of prose.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
    const url = new URL(target, here)
    const text = readFileSync(new URL(url.pathname, url), 'utf8')
    if (url.hash) expect(anchors(text), target).toContain(url.hash)
  }
})

/** Returns the text with the real output under each command of its `console` blocks, except for commands with a pipe or redirection. */
async function withOutput(text: string, cli: TestCli): Promise<string> {
  const blocks = text.split(/(?<=```console\n)([\s\S]*?)(?=```)/)
  expect(blocks.length).toBeGreaterThan(2)
  for (const [index, block] of blocks.entries()) {
    if (index % 2 === 0) continue
    const parts: string[] = []
    for (const part of block.split(/^(?=\$ )/m)) {
      const line = part.split('\n', 1)[0]?.slice(2) ?? ''
      parts.push(/[|>]/.test(line) ? part : `$ ${line}\n${await outputOf(line, cli)}`)
    }
    blocks[index] = parts.join('')
  }
  return blocks.join('')
}

async function outputOf(line: string, cli: TestCli): Promise<string> {
  if (clock[line]) cli.setTime(clock[line])
  const { stdout, stderr } = await cli.runInTerminal(100, ...splitCommandLine(line).slice(1))
  return `${stderr}${stdout}`.replaceAll(`${cli.home}/`, '/home/ada/.local/share/tt/')
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
