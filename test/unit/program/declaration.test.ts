import { expect, test } from 'vitest'
import type { AnyInput, CommandModule } from '../../../src/cli/command.js'
import {
  type CommandDeclaration,
  type Declaration,
  isGroup,
  optionGroupsOf,
  ownOptionGroups,
} from '../../../src/cli/declaration.js'
import { longName } from '../../../src/cli/read-input.js'
import { summaries } from '../../../src/program/command-list.js'
import { loadDeclaration } from '../../../src/program/program.js'

// The compiler does not check the order of arguments, and compares no flags with each other.

test('every declared command has ordered arguments and unique options', async () => {
  const commands = await allCommands()
  const problems = commands.map(([name, declaration]) => [name, problemsOf(declaration)])
  expect(problems.filter(([, found]) => found?.length)).toEqual([])
  expect(commands.length).toBeGreaterThan(Object.keys(summaries).length)
})

test('every command exports only the parts of a command', async () => {
  const parts: Required<Record<keyof CommandModule<AnyInput>, true>> = {
    ...{ run: true, view: true, summary: true, text: true, fileExtensions: true },
    ...{ allowsUnreadableSettings: true, canQueue: true, messageReplacesValue: true },
  }
  const others = (await allCommands()).map(async ([name, { load }]) => {
    const exported = Object.keys(await load())
    return exported.filter((key) => !(key in parts)).map((key) => `${name}: ${key}`)
  })
  expect((await Promise.all(others)).flat()).toEqual([])
})

async function allCommands(): Promise<[string, CommandDeclaration][]> {
  const below = (name: string, declaration: Declaration): [string, CommandDeclaration][] =>
    isGroup(declaration)
      ? Object.entries(declaration.commands).flatMap(([child, each]) => below(`${name} ${child}`, each))
      : [[name, declaration]]
  const names = Object.keys(summaries) as (keyof typeof summaries)[]
  return (await Promise.all(names.map(async (name) => below(name, await loadDeclaration(name))))).flat()
}

const validFlags = /^(-[a-zA-Z], )?--[a-z]+(-[a-z]+)*( <[^<>]+>| \[[^[\]]+\])?$/

/** Returns what is wrong with the terms of the arguments and the flags of the options. */
function problemsOf(declaration: CommandDeclaration): string[] {
  const terms = Object.keys(declaration.args ?? {})
  const optional = terms.findIndex((term) => term.startsWith('['))
  const late = terms.find((term, index) => term.startsWith('<') && optional >= 0 && index > optional)
  const own = ownOptionGroups(declaration).flatMap(({ options }) => options.map(({ flags }) => flags))
  // A command may use the letter of a common option, as `tt api -q` does.
  const letters = ['h', ...own.flatMap((flags) => /^-(\w),/.exec(flags)?.[1] ?? [])]
  const all = optionGroupsOf(declaration).flatMap(({ options }) => options.map(({ flags }) => flags))
  // The negation of an option with a value is its value false.
  const isNegation = (flags: string) =>
    all.some((other) => other.startsWith(`${flags.replace('--no-', '--')} [`))
  const named = all.filter((flags) => !(flags.startsWith('--no-') && isNegation(flags)))
  const names = ['help', ...named.flatMap((flags) => /--(?:no-)?([\w-]+)/.exec(flags)?.[1] ?? [])]
  // Every option of a format can be that of a file.
  const given = ownOptionGroups(declaration).flatMap(({ options }) =>
    options.flatMap((option) => (option.default === undefined ? (/--[\w-]+/.exec(option.flags) ?? []) : [])),
  )
  const isKnown = (name: string) => ['--json', '--ical', ...terms, ...given].includes(longName(name))
  const related = ownOptionGroups(declaration).flatMap(({ options }) =>
    options.flatMap(({ conflicts = [], needs = [] }) => [...conflicts, needs].flat()),
  )
  return [
    ...(terms.slice(0, -1).some((term) => term.includes('...'))
      ? ['Only the last argument can be a list.']
      : []),
    ...(late === undefined ? [] : [`${late} follows an optional argument.`]),
    ...all.filter((flags) => !validFlags.test(flags)).map((flags) => `Invalid flags: ${flags}`),
    ...related.filter((name) => !isKnown(name)).map((name) => `${name} is not declared, or always given.`),
    ...repeated(letters).map((letter) => `-${letter} is declared twice.`),
    ...repeated(names).map((name) => `${name} is declared twice.`),
  ]
}

function repeated(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index)
}
