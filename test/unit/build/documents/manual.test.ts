import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { manualPages } from '../../../../src/build/documents/manual.js'
import { bold, code, item, paragraph, prose, usage, verbatim } from '../../../../src/build/documents/roff.js'
import { once } from '../../../../src/lib/once.js'
import { topics } from '../../../../src/program/help/topics.js'
import { createProgram, everyCommand } from '../../../../src/program/program.js'
import { temporaryDirectory } from '../../../support/process.js'

const pages = await manualPages()
const tree = await createProgram({ invoke: async () => {}, writeOut: () => {}, writeErr: () => {} })
const commands = everyCommand(tree)

const groffIsMissing = spawnSync('groff', ['--version']).status !== 0

/** The pages as plain text of 80 columns, and the warnings of groff, which `man` uses too. Starts it once. */
const renderedManual = once(async () => {
  const directory = temporaryDirectory()
  const names = Object.keys(pages)
  for (const name of names) writeFileSync(join(directory, name), pages[name] ?? '')
  const { text, flaws } = render(names, { cwd: directory })
  // The first and last words of the line above a page are its title.
  const texts = text.split(/^(?=(TT[-A-Z]*\(1\)) .* \1\n)/m).filter((part) => part.includes('\n'))
  return { byName: new Map(names.map((name, index) => [name, texts[index]])), flaws }
})

async function renderedPage(name: string): Promise<string> {
  return (await renderedManual()).byName.get(name) ?? ''
}

/** Renders files, or standard input, as plain text of 80 columns, and returns the warnings of groff. */
function render(files: string[], options: { cwd?: string; input?: string }) {
  const flags = ['-man', '-Tutf8', '-ww', '-P-cbou', '-rLL=80n']
  const { stdout, stderr } = spawnSync('groff', [...flags, ...files], { ...options, encoding: 'utf8' })
  return { text: stdout, flaws: stderr }
}

describe('the manual', () => {
  test('has a page for tt and one for each top-level command', () => {
    const words = tree.commands.map((command) => command.name()).filter((name) => !name.startsWith('__'))
    expect(Object.keys(pages).sort()).toEqual(['tt.1', ...words.map((word) => `tt-${word}.1`)].sort())
  })

  test('is installed with the package, which lists every page for npm', () => {
    const { man } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'))
    expect(man).toEqual(
      Object.keys(pages)
        .sort()
        .map((page) => `man/${page}`),
    )
  })

  test.for(Object.keys(pages))(
    '%s is ASCII and begins with its title in groff',
    { tags: 'slow' },
    async (name, { skip }) => {
      expect(pages[name]).toMatch(/^[\n -~]+$/)
      skip(groffIsMissing, 'groff is not installed')
      const text = await renderedPage(name)
      const title = name.replace(/\.1$/, '(1)').toUpperCase()
      expect(text.slice(0, text.indexOf('\n'))).toMatch(new RegExp(`^${title.replace(/[()]/g, '\\$&')} `))
    },
  )

  test('renders in groff without a warning', async ({ skip }) => {
    skip(groffIsMissing, 'groff is not installed')
    expect((await renderedManual()).flaws).toBe('')
  })

  test('describes every command with its options and arguments as the help does', async ({ skip }) => {
    skip(groffIsMissing, 'groff is not installed')
    for (const command of commands) {
      const path: string[] = []
      for (let one = command; one.parent; one = one.parent) path.unshift(one.name())
      if (path[0]?.startsWith('__')) continue
      const text = (await renderedPage(`tt-${path[0]}.1`)).replace(/\s+/g, ' ')
      expect(text).toContain(`tt ${path.join(' ')} `)
      if (command.commands.length > 0) continue
      const texts = [
        ...command.options.flatMap(({ long, description }) => [`${long} `, description]),
        ...command.registeredArguments.map(({ description }) => description),
      ]
      for (const expected of texts) expect(text).toContain(expected.replaceAll('`', ''))
    }
  })

  test('has every topic in tt(1), and the exit statuses on each page', async ({ skip }) => {
    skip(groffIsMissing, 'groff is not installed')
    const text = await renderedPage('tt.1')
    const titles = ['OPTIONS', 'TIME, DURATION AND DATE', 'TASK AND ENTRY', 'OUTPUT', 'EXIT STATUS']
    for (const title of [...titles, 'ENVIRONMENT', 'FILES', 'PROMPTS'])
      expect(text).toMatch(new RegExp(`^${title}$`, 'm'))
    for (const name of Object.keys(pages))
      expect(await renderedPage(name)).toMatch(/\n {7}130 +interrupted: Ctrl-C/)
    expect(topics).toHaveLength(11)
  })
})

test('verbatim text with roff syntax renders unchanged', ({ skip }) => {
  skip(groffIsMissing, 'groff is not installed')
  const awkward = [
    '.dot \'quote \\backslash \\fB -n --notes ~3 ^x `y` "z"',
    "'no request",
    '. ..',
    '\\(rs \\n \\$1 %s 2024-05-01 – … é 日本',
    '   indented',
  ]
  const page = ['.TH X 1', '.nh', '.ad l', verbatim(awkward)].join('\n')
  const { text, flaws } = render([], { input: `${page}\n` })
  expect(flaws).toBe('')
  for (const line of awkward) expect(text).toContain(`${line}\n`)
})

test('hyphens stay hyphens in words, and code is bold', () => {
  expect(prose('a day-to-day `--at -15m` on 2024-05-01')).toBe(
    'a day-to-day \\fB\\-\\-at \\-15m\\fR on 2024\\-05\\-01',
  )
  expect(usage('-n, --notes <text>')).toBe('\\fB\\-n\\fR, \\fB\\-\\-notes\\fR \\fItext\\fR')
  expect(paragraph('.tt.json')).toBe('.PP\n\\&.tt.json')
  expect(item(bold('.tt.json'), '.x')).toBe('.TP\n\\fB.tt.json\\fR\n\\&.x')
  expect(code("it's")).toBe('it\\(aqs')
})
