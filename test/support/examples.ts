import { createProgram, everyCommand } from '../../src/program/program.js'

/** Every example that the help shows, without the dollar sign, each once, with the words of its command. */
export async function listExamples(): Promise<{ command: string; lines: string[] }[]> {
  let help = ''
  const write = (text: string) => {
    help += text
  }
  const tree = await createProgram({ invoke: async () => {}, writeOut: write, writeErr: write })
  return everyCommand(tree).map((command) => {
    help = ''
    command.outputHelp()
    const [, examples = ''] = help.split('\nExamples:\n')
    const lines = examples.split('\n').filter((line) => line.startsWith('  $ '))
    const path: string[] = []
    for (let one = command; one.parent; one = one.parent) path.unshift(one.name())
    return { command: path.join(' '), lines: lines.map((line) => line.slice(4)) }
  })
}

/** The words of a command line of `tt` up to a pipe or a redirection, as a shell makes them of quotes. */
export function splitCommandLine(line: string): string[] {
  const [command = ''] = /^(?:[^'"|<>&#]|'[^']*'|"[^"]*")*/.exec(line) ?? []
  return [...command.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double),
  )
}

/** Has the command line parsed, and nothing run. Throws what the parser says against it. */
export async function parseCommandLine(line: string): Promise<void> {
  const [program = '', ...words] = splitCommandLine(line)
  if (program !== 'tt') throw new Error(`No command of tt: ${line}`)
  let invoked = false
  const invoke = async () => {
    invoked = true
  }
  const tree = await createProgram({ invoke, writeOut: () => {}, writeErr: () => {} }, words[0])
  await tree.parseAsync(words, { from: 'user' })
  if (!invoked) throw new Error(`It runs nothing: ${line}`)
}
