import { defineCommand } from '../../cli/declaration.js'
import { summaries } from '../command-list.js'

/** `tt schema`. */
export const commands = {
  schema: defineCommand({
    summary: summaries.schema,
    args: { '[command...]': 'the command, or `error`, `hook` or `template` (default: all)' },
    options: {
      '--line': 'the schema of a line of `--ndjson`',
    },
    notes: [
      'The schemas are JSON Schema 2020-12. `error` is the object on standard error, `hook` the standard input of hooks, `template` the words of `--template`. Without a command, and for a command with subcommands, prints an object with a schema for each.',
      'Later versions may add keys but never remove one, so that the schemas allow further keys.',
    ],
    examples: [
      'tt schema log > log.schema.json',
      'tt schema log --line',
      'tt schema expenses add',
      'tt schema error',
    ],
    load: () => import('../../commands/schema.js'),
  }),
}
