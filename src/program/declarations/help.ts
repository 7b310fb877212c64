import type { Command } from 'commander'
import { command, declareChildren, examples, type LazyAction } from '../lazy-commands.js'
import { topicList, topicText } from '../topic-text.js'
import { topics } from '../topics.js'

/** Makes the whole tree, whose help goes to `write`. */
export type MakeTree = (write: (text: string) => void) => Promise<Command>

/** `tt help`, and the list of topics under the help of `tt`. */
export function declareHelp(program: Command, lazily: LazyAction, makeTree: MakeTree) {
  command(program, 'help', 'show help for a command or topic', (command) =>
    command
      .argument('[word...]', 'command or topic')
      .addHelpText('after', examples('tt help', 'tt help expenses add', 'tt help time'))
      .action(
        lazily(async () =>
          (await import('../../commands/help.js')).helpFrom((words) => pageFor(words, makeTree)),
        ),
      ),
  )
  program.addHelpText('after', () => topicList(topics))
}

/** What there is to read about these words; where there is nothing, the words that lead on from the last known one. */
async function pageFor(words: readonly string[], makeTree: MakeTree): Promise<string | string[]> {
  const topic = words.length === 1 ? topics.find(({ name }) => name === words[0]) : undefined
  if (topic) return topicText(topic)
  let text = ''
  let command = await makeTree((written) => {
    text += written
  })
  const path: string[] = []
  for (const word of words) {
    const known = namesUnder(command)
    const next = command.commands.find((each) => each.name() === word)
    if (!next) return [...known.map((name) => [...path, name].join(' ')), ...topics.map(({ name }) => name)]
    declareChildren(next)
    command = next
    path.push(word)
  }
  command.outputHelp()
  return text
}

function namesUnder(command: Command): string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => each.name())
}
