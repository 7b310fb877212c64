import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ProgramCommand } from '../../src/program/command-tree.js'
import { createProgram, everyCommand } from '../../src/program/program.js'
import { parseCommandLine } from '../support/examples.js'

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

test.each(pages)('%s links only to files and headings that exist', { tags: 'slow' }, (page) => {
  const here = new URL(page, root)
  const prose = textOf(page).replace(/```[\s\S]*?```|`[^`\n]*`/g, '')
  for (const [, target = ''] of prose.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
    const url = new URL(target, here)
    const text = readFileSync(new URL(url.pathname, url), 'utf8')
    if (url.hash) expect(anchors(text), target).toContain(url.hash)
  }
})

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
