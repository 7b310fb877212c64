import { expect, test } from 'vitest'
import { summaries } from '../../../src/program/command-list.js'
import {
  type CommandDeclaration,
  type Declaration,
  isGroup,
  optionGroupsOf,
  ownOptionGroups,
} from '../../../src/program/declaration.js'
import { loadDeclaration } from '../../../src/program/program.js'

// The compiler does not check the order of arguments, and compares no flags with each other.

const base: CommandDeclaration = {
  summary: 'test',
  examples: [],
  load: async () => ({ run: async () => undefined }),
}

test.each<[string, Partial<CommandDeclaration>, string]>([
  ['a list before another argument', { args: { '<a...>': '', '[b]': '' } }, 'Only the last argument'],
  ['an optional argument before a required one', { args: { '[a]': '', '<b>': '' } }, '<b> follows'],
  ['a letter of two options', { options: { '-n, --notes': '', '-n, --name': '' } }, '-n is declared twice.'],
  ['the letter of --help', { options: { '-h, --host': '' } }, '-h is declared twice.'],
  ['a name of two options', { options: { '--tag': '', '--tag <tag>': '' } }, 'tag is declared twice.'],
  ['an option and its negation', { options: { '--trim': '', '--no-trim': '' } }, 'trim is declared twice.'],
  ['a common option', { optionGroups: { Output: { '--quiet': '' } } }, 'quiet is declared twice.'],
  ['an option of the formats', { options: { '--csv': '' }, hasFormats: true }, 'csv is declared twice.'],
  ['a letter of two characters', { options: { '-nn, --notes': '' } }, 'Invalid flags: -nn, --notes'],
  ['a name with capitals', { options: { '--maxRows <n>': '' } }, 'Invalid flags: --maxRows <n>'],
])('the check of declarations reports %s', (_, parts, problem) => {
  expect(problemsOf({ ...base, ...parts })).toEqual([expect.stringContaining(problem)])
})

test('every declared command has ordered arguments and unique options', async () => {
  const problems: Record<string, string[]> = {}
  let commands = 0
  const check = (name: string, declaration: Declaration) => {
    if (isGroup(declaration)) {
      for (const [child, each] of Object.entries(declaration.commands)) check(`${name} ${child}`, each)
      return
    }
    commands++
    const found = problemsOf(declaration)
    if (found.length > 0) problems[name] = found
  }
  for (const name of Object.keys(summaries) as (keyof typeof summaries)[])
    check(name, await loadDeclaration(name))
  expect(problems).toEqual({})
  expect(commands).toBeGreaterThan(Object.keys(summaries).length)
})

/** Returns what is wrong with the terms of the arguments and the flags of the options. */
function problemsOf(declaration: CommandDeclaration): string[] {
  const terms = Object.keys(declaration.args ?? {})
  const optional = terms.findIndex((term) => term.startsWith('['))
  const late = terms.find((term, index) => term.startsWith('<') && optional >= 0 && index > optional)
  const own = ownOptionGroups(declaration).flatMap(flagsOf)
  // A command may use the letter of a common option, as `tt api -q` does.
  const letters = ['h', ...own.flatMap((flags) => /^-(\w),/.exec(flags)?.[1] ?? [])]
  const all = optionGroupsOf(declaration).flatMap(flagsOf)
  // The negation of an option with a value is its value false.
  const isNegation = (flags: string) =>
    all.some((other) => other.startsWith(`${flags.replace('--no-', '--')} [`))
  const named = all.filter((flags) => !(flags.startsWith('--no-') && isNegation(flags)))
  const names = ['help', ...named.flatMap((flags) => /--(?:no-)?([\w-]+)/.exec(flags)?.[1] ?? [])]
  return [
    ...(terms.slice(0, -1).some((term) => term.includes('...'))
      ? ['Only the last argument can be a list.']
      : []),
    ...(late === undefined ? [] : [`${late} follows an optional argument.`]),
    ...all.filter((flags) => !isValid(flags)).map((flags) => `Invalid flags: ${flags}`),
    ...repeated(letters).map((letter) => `-${letter} is declared twice.`),
    ...repeated(names).map((name) => `${name} is declared twice.`),
  ]
}

function flagsOf({ options }: { options: readonly { flags: string }[] }): string[] {
  return options.map(({ flags }) => flags)
}

function isValid(flags: string): boolean {
  return /^(-[a-zA-Z], )?--[a-z]+(-[a-z]+)*( <[^<>]+>| \[[^[\]]+\])?$/.test(flags)
}

function repeated(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index)
}
