import { createProgram, everyCommand } from '../../src/program/program.js'

/** Lists the examples of each command. */
export async function listExamples(): Promise<{ command: string; lines: string[] }[]> {
  const tree = await createProgram({ invoke: async () => {}, writeOut: () => {}, writeErr: () => {} })
  return everyCommand(tree).map(({ path, declaration }) => ({
    command: path.replace(/^tt /, ''),
    lines: [...(declaration?.examples ?? [])],
  }))
}

/** Splits a command line up to a pipe or redirection into arguments, and removes quotes as a shell does. */
export function splitCommandLine(line: string): string[] {
  const [command = ''] = /^(?:[^'"|<>&#]|'[^']*'|"[^"]*")*/.exec(line) ?? []
  // The number of a redirected file descriptor is no argument.
  const words = line[command.length] === '>' ? command.replace(/\s\d$/, '') : command
  return [...words.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double),
  )
}

/** Parses a `tt` command line without running it. Throws the error of the parser. */
export async function parseCommandLine(line: string): Promise<void> {
  const [program = '', ...words] = splitCommandLine(line)
  if (program !== 'tt') throw new Error(`Not a tt command: ${line}`)
  let invoked = false
  const invoke = async () => {
    invoked = true
  }
  const tree = await createProgram({ invoke, writeOut: () => {}, writeErr: () => {} }, words[0])
  await tree.parseAsync(words, { from: 'user' })
  if (!invoked) throw new Error(`The command line runs no command: ${line}`)
}
