import { expect, test } from 'vitest'
import { commandGroups } from '../../../src/program/command-list.js'
import { overviewText } from '../../../src/program/overview.js'
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

test('every help ends with the common options, after commands and other options', () => {
  for (const command of everyCommand(tree)) {
    const text = command.helpInformation()
    const found = headings(text)
    expect(found.at(-1)).toBe('Common options:')
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/^ {2}-h, --help +show help$/)
    for (const line of text.split('\n')) expect(line.length).toBeLessThan(81)
    if (command.commands.length > 0) expect(found).toEqual(['Commands:', 'Common options:'])
  }
})

test.each([
  ['report', ['Period:', 'Filters:', 'Grouping:', 'Checks:', 'Output:', 'Common options:']],
  ['timesheet', ['Period:', 'Filters:', 'Grouping:', 'Output:', 'Common options:']],
  ['export', ['Period:', 'Filters:', 'Output:', 'Common options:']],
  ['log', ['Period:', 'Filters:', 'Output:', 'Common options:']],
  ['add', ['Arguments:', 'Options:', 'Common options:']],
  ['projects', ['Filters:', 'Output:', 'Common options:']],
])('the help of tt %s is grouped', (name, expected) => {
  const command = everyCommand(tree).find((each) => each.name() === name)
  expect(headings(command?.helpInformation() ?? '')).toEqual(expected)
})
