import type { Command } from 'commander'
import { summaries } from '../command-list.js'
import { command, declareChildren, type LazyAction } from '../lazy-commands.js'
import { overviewText } from '../overview.js'
import { examples } from '../shared-options.js'
import { topicText } from '../topic-text.js'
import { topics } from '../topics.js'

/** Creates the whole tree, whose help goes to `write`. */
export type CreateTree = (write: (text: string) => void) => Promise<Command>

/** Declares `tt help`. */
export function declareHelp(program: Command, lazyAction: LazyAction, createTree: CreateTree) {
  command(program, 'help', summaries.help, (command) =>
    command
      .argument('[command...]', 'command or topic')
      .addHelpText('after', examples('tt help', 'tt help expenses add', 'tt help time'))
      .action(
        lazyAction(async () =>
          (await import('../../commands/help.js')).createHelpCommand((words) => findPage(words, createTree)),
        ),
      ),
  )
}

/** Returns the text about a command or topic, or the known names if there is none. */
async function findPage(words: readonly string[], createTree: CreateTree): Promise<string | string[]> {
  if (words.length === 0) return overviewText()
  const topic = words.length === 1 ? topics.find(({ name }) => name === words[0]) : undefined
  if (topic) return topicText(topic)
  let text = ''
  let command = await createTree((chunk) => {
    text += chunk
  })
  const path: string[] = []
  for (const word of words) {
    const names = namesUnder(command)
    const next = command.commands.find((each) => each.name() === word)
    if (!next) return [...names.map((name) => [...path, name].join(' ')), ...topics.map(({ name }) => name)]
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
