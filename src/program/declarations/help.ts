import { defineCommand } from '../../cli/declaration.js'
import { summaries } from '../command-list.js'

/** `tt help`. */
export const commands = {
  help: defineCommand({
    summary: summaries.help,
    args: { '[command...]': 'command or topic' },
    options: { '--all': 'list all commands, your aliases, topics and common options' },
    examples: ['tt help', 'tt help --all', 'tt help expenses add', 'tt help time'],
    load: () => import('../../commands/help.js'),
  }),
}
