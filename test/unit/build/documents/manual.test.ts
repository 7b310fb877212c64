import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { manualPages } from '../../../../src/build/documents/manual.js'
import { bold, code, item, paragraph, prose, usage, verbatim } from '../../../../src/build/documents/roff.js'
import { createProgram, everyCommand } from '../../../../src/program/program.js'
import { topics } from '../../../../src/program/topics.js'

const pages = await manualPages()
const tree = await createProgram({ invoke: async () => {}, writeOut: () => {}, writeErr: () => {} })
const commands = everyCommand(tree)

const groffIsMissing = spawnSync('groff', ['--version']).status !== 0
const manIsMissing = spawnSync('man', ['--version']).status !== 0

const shown = new Map<string, { text: string; flaws: string }>()

/** Returns the rendered page, rendered once. */
function shownPage(name: string): { text: string; flaws: string } {
  const known = shown.get(name) ?? rendered(pages[name] ?? '')
  shown.set(name, known)
  return known
}

/** Returns a page as plain text of 80 columns, and the warnings of groff. */
function rendered(page: string): { text: string; flaws: string } {
  const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-P-cbou', '-rLL=80n'], {
    input: page,
    encoding: 'utf8',
  })
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

  test.for(Object.keys(pages))('%s is ASCII and renders in groff without a warning', (name, { skip }) => {
    expect(pages[name]).toMatch(/^[\n -~]+$/)
    skip(groffIsMissing, 'groff is not installed')
    expect(shownPage(name).flaws).toBe('')
  })

  test('man renders every page at 80 columns without a warning', ({ skip }) => {
    skip(manIsMissing || groffIsMissing, 'man is not installed')
    for (const page of Object.values(pages)) {
      const outcome = spawnSync('man', ['--warnings=w', '-l', '-'], {
        input: page,
        encoding: 'utf8',
        env: {
          PATH: process.env.PATH,
          LC_ALL: 'C.UTF-8',
          MANWIDTH: '80',
          MANPAGER: 'cat',
          MANROFFOPT: '-ww',
        },
      })
      expect(outcome).toMatchObject({ status: 0, stderr: '' })
    }
  })

  test('describes every command with its options and arguments as the help does', ({ skip }) => {
    skip(groffIsMissing, 'groff is not installed')
    for (const command of commands) {
      const path: string[] = []
      for (let one = command; one.parent; one = one.parent) path.unshift(one.name())
      if (path[0]?.startsWith('__')) continue
      const text = shownPage(`tt-${path[0]}.1`).text.replace(/\s+/g, ' ')
      expect(text).toContain(`tt ${path.join(' ')} `)
      if (command.commands.length > 0) continue
      const texts = [
        ...command.options.flatMap(({ long, description }) => [`${long} `, description]),
        ...command.registeredArguments.map(({ description }) => description),
      ]
      for (const expected of texts) expect(text).toContain(expected.replaceAll('`', ''))
    }
  })

  test('has every topic in tt(1), and the exit statuses on each page', ({ skip }) => {
    skip(groffIsMissing, 'groff is not installed')
    const { text } = shownPage('tt.1')
    for (const title of [
      'TIME, DURATION AND DATE',
      'TASK AND ENTRY',
      'OUTPUT',
      'EXIT STATUS',
      'ENVIRONMENT',
      'FILES',
      'PROMPTS',
    ])
      expect(text).toMatch(new RegExp(`^${title}$`, 'm'))
    for (const name of Object.keys(pages))
      expect(shownPage(name).text).toMatch(/\n {7}130 +interrupted: Ctrl-C/)
    expect(topics).toHaveLength(8)
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
  const { text, flaws } = rendered(`${page}\n`)
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
