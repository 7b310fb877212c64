import { expect, test } from 'vitest'
import { commandGroups } from '../../../src/program/command-list.js'
import { overviewText } from '../../../src/program/help/overview.js'
import { createProgram, everyCommand } from '../../../src/program/program.js'

const tree = await createProgram({ invoke: async () => {}, writeOut: () => {}, writeErr: () => {} })

/** Returns the headings of the sections, such as "Period:". */
const headings = (text: string) => text.split('\n').filter((line) => /^[A-Z].*:$/.test(line))

test('the overview lists every command of the tree in its group, on one line of at most 80 columns', () => {
  const text = overviewText()
  for (const line of text.split('\n')) expect(line.length).toBeLessThan(81)
  const listed = tree.commands.map((command) => [
    `${command.helpGroup()}`,
    `  ${command.name().padEnd(15)}${command.summary() || command.description()}`,
  ])
  expect(Object.keys(commandGroups)).toEqual([...new Set(listed.map(([group = '']) => group.slice(0, -1)))])
  for (const [group = '', line = ''] of listed) {
    const section = text.slice(text.indexOf(`\n${group}\n`)).split('\n\n')[0]
    expect(section?.split('\n')).toContain(line)
  }
})

test('the overview lists the options of tt last', () => {
  expect(headings(overviewText()).at(-1)).toBe('Common options:')
  for (const { flags, description } of tree.options)
    expect(overviewText()).toMatch(new RegExp(`^ +${flags} +${description.replace(/[()]/g, '\\$&')}$`, 'm'))
})

test('the whole tree shows the overview as its help', () => {
  expect(tree.helpInformation()).toBe(overviewText())
})

/** Returns the headings up to that of the common options, which only notes and examples may follow. */
function optionHeadings(text: string): string[] {
  const found = headings(text)
  return found.slice(0, found.indexOf('Common options:') + 1)
}

test('every help has the common options after commands and other options, and examples at its end', () => {
  for (const command of everyCommand(tree)) {
    const text = command.helpInformation()
    const [before = '', after = ''] = text.split(/(?<=\n {2}-h, --help +show help\n)/)
    expect(headings(before).at(-1)).toBe('Common options:')
    for (const line of before.split('\n')) expect(line.length, line).toBeLessThan(81)
    if (command.commands.length > 0) expect(headings(before)).toEqual(['Commands:', 'Common options:'])
    const examples = command.declaration?.examples ?? []
    if (examples.length === 0) expect(after).toBe('')
    else
      expect(after.slice(after.indexOf('\nExamples:\n'))).toBe(
        `\nExamples:\n${examples.map((line) => `  $ ${line}\n`).join('')}`,
      )
  }
})

test.each([
  ['report', ['Arguments:', 'Period:', 'Filters:', 'Grouping:', 'Output:', 'Common options:']],
  ['check', ['Arguments:', 'Options:', 'Filters:', 'Output:', 'Common options:']],
  ['timesheet', ['Arguments:', 'Period:', 'Filters:', 'Grouping:', 'Output:', 'Common options:']],
  ['export', ['Arguments:', 'Period:', 'Filters:', 'Output:', 'Common options:']],
  ['log', ['Arguments:', 'Period:', 'Filters:', 'Output:', 'Common options:']],
  ['add', ['Arguments:', 'Options:', 'Common options:']],
  ['assignments', ['Filters:', 'Output:', 'Common options:']],
])('the help of tt %s is grouped', (name, expected) => {
  const command = everyCommand(tree).find((each) => each.name() === name)
  expect(optionHeadings(command?.helpInformation() ?? '')).toEqual(expected)
})
