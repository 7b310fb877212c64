import { expect, test } from 'vitest'
import { formatOptions } from '../../../src/cli/common-options.js'
import { commandGroups, everydayCommands, summaries } from '../../../src/program/command-list.js'
import { fullOverviewText, overviewText } from '../../../src/program/help/overview.js'
import { topics } from '../../../src/program/help/topics.js'
import { createProgram, everyCommand } from '../../../src/program/program.js'

const tree = await createProgram({ invoke: async () => {}, writeOut: () => {}, writeErr: () => {} })

/** Returns the headings of the sections, such as "Period:". */
const headings = (text: string) => text.split('\n').filter((line) => /^[A-Z].*:$/.test(line))

test('tt help --all lists every command of the tree in its group, on one line of at most 80 columns', () => {
  const text = fullOverviewText()
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

test('tt help --all lists the options of tt last', () => {
  expect(headings(fullOverviewText()).at(-1)).toBe('Common options:')
  for (const { flags, description } of tree.options)
    expect(fullOverviewText()).toMatch(
      new RegExp(`^ +${flags} +${description.replace(/[()]/g, '\\$&')}$`, 'm'),
    )
})

test('the whole tree shows the overview as its help', () => {
  expect(tree.helpInformation()).toBe(overviewText())
})

test('tt help lists the everyday commands and all topics in at most 30 lines of 80 columns', () => {
  const lines = overviewText().trimEnd().split('\n')
  expect(lines.length).toBeLessThan(31)
  for (const line of lines) expect(line.length, line).toBeLessThan(81)
  expect(everydayCommands.length).toBeGreaterThan(12)
  for (const name of everydayCommands) expect(lines).toContain(`  ${name.padEnd(15)}${summaries[name]}`)
  for (const { name } of topics) expect(overviewText()).toMatch(new RegExp(`\\b${name}\\b`))
})

test.each([
  ['log', 42],
  ['report', 60],
  ['check', 45],
  ['timesheet', 45],
])('the help of tt %s has at most %d lines', (name, bound) => {
  const command = everyCommand(tree).find(({ path }) => path === `tt ${name}`)
  expect(command?.helpInformation().trimEnd().split('\n').length).toBeLessThan(bound + 1)
})

/** The lines that name the options of every command. */
const commonLines = (path: string) =>
  `Common options (see \`tt help options\`):\n  --json --jq --profile --no-input ${path === 'tt api' ? '--quiet' : '-q'} --debug --no-color --yes --no-hooks --wait\n`

test('every help names the common options in one line after other options, and has examples at its end', () => {
  for (const command of everyCommand(tree)) {
    const text = command.helpInformation()
    expect(text).toContain(`Usage: ${command.path} `)
    const isGroup = command.commands.length > 0
    const examples = command.declaration?.examples ?? []
    const before = text.split('\nExamples:\n')[0] ?? ''
    // Notes, such as the table of settings, may be wider.
    const described = before.slice(0, before.indexOf(isGroup ? '\n\n' : '\nCommon options'))
    for (const line of described.split('\n')) expect(line.length, line).toBeLessThan(81)
    if (isGroup) expect(headings(before)[0]).toBe('Commands:')
    else expect(before).toContain(`\n${commonLines(command.path)}`)
    expect(headings(before).includes('Common options:')).toBe(false)
    if (examples.length > 0)
      expect(text.slice(text.indexOf('\nExamples:\n'))).toBe(
        `\nExamples:\n${examples.map((line) => `  $ ${line}\n`).join('')}`,
      )
  }
})

test('the help of a list names the options of formats in one line', () => {
  for (const command of everyCommand(tree)) {
    const { declaration } = command
    const hasFormats = declaration && 'hasFormats' in declaration && declaration.hasFormats === true
    const names = Object.keys(formatOptions).map((flags) => flags.split(' ')[0])
    const line = `\nFormats (see \`tt help output\`): ${names.join(' ')}\n`
    expect([command.path, command.helpInformation().includes(line)]).toEqual([
      command.path,
      hasFormats ?? false,
    ])
    const output = JSON.stringify(topics.find(({ name }) => name === 'output'))
    for (const name of names) expect(output).toContain(name)
  }
})

test('the topic of options explains each common option', () => {
  const rows = topics
    .find(({ name }) => name === 'options')
    ?.parts.flatMap((part) => (typeof part === 'object' && 'rows' in part ? part.rows : []))
  for (const { flags, description } of tree.options)
    if (flags !== '-h, --help') expect(rows).toContainEqual([flags, description])
})

const filters = 'Filters (names are repeatable; !NAME excludes):'

test.each([
  ['report', ['Arguments:', filters, 'Grouping:', 'Output:']],
  ['check', ['Arguments:', 'Options:', filters]],
  ['timesheet', ['Arguments:', filters, 'Grouping:', 'Output:']],
  ['export', ['Arguments:', filters, 'Output:']],
  ['log', ['Arguments:', filters, 'Output:']],
  ['add', ['Arguments:', 'Options:']],
  ['assignments', ['Filters:']],
])('the help of tt %s is grouped', (name, expected) => {
  const command = everyCommand(tree).find((each) => each.name() === name)
  const found = headings(command?.helpInformation() ?? '')
  expect(found.slice(0, expected.length)).toEqual(expected)
})
