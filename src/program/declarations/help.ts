import { defineCommand, type Loaded } from '../../cli/declaration.js'
import { isCommand, summaries } from '../command-list.js'
import { fullOverviewText, overviewText } from '../help/overview.js'
import { topicText } from '../help/topic-text.js'
import { topicNamed, topics } from '../help/topics.js'

/** `tt help`. */
export const commands = {
  help: defineCommand({
    summary: summaries.help,
    args: { '[command...]': 'command or topic' },
    options: { '--all': 'list all commands, your aliases, topics and common options' },
    examples: ['tt help', 'tt help --all', 'tt help expenses add', 'tt help time'],
    load: async (): Loaded =>
      (await import('../../commands/help.js')).createHelpCommand({
        pageFor: findPage,
        overview: (aliases) => (aliases ? fullOverviewText(aliases) : overviewText()),
        isCommand,
      }),
  }),
}

/** Returns the text about a command or topic, or the known names if there is none. */
async function findPage(words: readonly string[]): Promise<string | string[]> {
  const topic = words.length === 1 ? topicNamed(words[0] ?? '') : undefined
  if (topic) return topicText(topic)
  const { createProgram } = await import('../program.js')
  let command = await createProgram({ invoke: async () => {}, writeOut: () => {}, writeErr: () => {} })
  for (const [index, word] of words.entries()) {
    const next = command.commands.find((each) => each.name() === word)
    if (!next) {
      const names = command.commands.map((each) => [...words.slice(0, index), each.name()].join(' '))
      return [...names, ...topics.map(({ name }) => name)]
    }
    command = next.build()
  }
  return command.helpInformation()
}
