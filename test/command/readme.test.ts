import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { settingTable } from '../../src/config/settings/setting-table.js'
import { promptSnippets } from '../../src/program/topics.js'
import { parse } from '../support/examples.js'
import { newDesk } from '../support/test-cli.js'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** What the clock shows before each command of the tour that is not typed right after the one before it. */
const clock: Record<string, string> = {
  'tt start Website/Design --notes "first page"': '2024-05-01T09:30:00',
  'tt status': '2024-05-01T10:54:00',
  'tt start desi --at -5m': '2024-05-01T11:00:00',
}

test('the tour in the README shows what tt really says', async () => {
  const desk = newDesk()
  desk.env.LC_ALL = 'C.UTF-8'
  const told: string[] = []
  const shown: string[] = []
  for (const { line, output } of tour()) {
    if (clock[line]) desk.at(clock[line])
    const outcome = await desk.terminal(100, ...words(line))
    told.push(`$ ${line}`, ...output)
    const text = `${outcome.stderr}${outcome.stdout}`.replaceAll(
      `${desk.home}/`,
      '/home/ada/.local/share/tt/',
    )
    shown.push(
      `$ ${line}`,
      ...text.split('\n').filter((row, index, rows) => row !== '' || index < rows.length - 1),
    )
  }
  expect(shown).toEqual(told)
})

test('the README has every setting, with its default and what it means', () => {
  for (const { name, default: fallback, description } of settingTable) {
    const row = `| \`${name}\` | ${fallback ? `\`${fallback}\`` : ''} | ${description.replace(/[|*]/g, '\\$&')} |`
    expect(readme.split('\n')).toContain(row)
  }
})

test('tt takes every command line of the README as it stands', async () => {
  const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  )
  // What stands before it on the line is the shell's: variables, and other programs.
  const lines = blocks.flatMap((line) => /(?:^|[\s&(])(tt .*)/.exec(line)?.[1] ?? [])
  expect(lines.length).toBeGreaterThan(10)
  for (const line of lines) await expect(parse(line), line).resolves.toBeUndefined()
})

test('the README has the lines for prompts that `tt help prompts` shows', () => {
  for (const lines of Object.values(promptSnippets)) expect(readme).toContain(`\n${lines.join('\n')}\n`)
})

/** The commands of the `console` blocks with what stands under each; those in a pipe or into a file are left out. */
function tour(): { line: string; output: string[] }[] {
  const blocks = [...readme.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block = '']) => block.trimEnd())
  expect(blocks.length).toBeGreaterThan(4)
  return blocks
    .flatMap((block) => block.split(/^\$ /m).slice(1))
    .map((part) => part.trimEnd().split('\n'))
    .map(([line = '', ...output]) => ({ line, output }))
    .filter(({ line }) => !/[|>]/.test(line))
}

function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '').slice(1)
}
