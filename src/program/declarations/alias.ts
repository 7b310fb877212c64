import { commandsIn, defineCommand, defineGroup, type Note } from '../../cli/declaration.js'
import { summaries } from '../command-list.js'

const alias = commandsIn(() => import('../../commands/alias.js'))

const notes: Note[] = [
  'Global options may come before an alias. `$1` to `$9` in its expansion are replaced by the arguments; the arguments after the last placeholder, or all without placeholders, are appended. Quotes and backslashes work as in a shell. An expansion may begin with another alias.',
  'With --shell, or with ! before the expansion, `sh` runs the expansion, with the arguments as $1, $2, …; arguments that it does not use are appended.',
  'An alias never replaces a command. Aliases are stored per user, in aliases.json beside the settings, and never read from .tt.json.',
]

/** `tt alias`. */
export const commands = {
  alias: defineGroup({
    summary: summaries.alias,
    default: 'list',
    commands: {
      list: defineCommand({
        summary: 'list all aliases',
        hasFormats: true,
        examples: ['tt alias list', 'tt alias list --json'],
        load: alias('list'),
      }),
      set: defineCommand({
        summary: 'create or change an alias',
        args: {
          '<name>': 'name of the alias',
          '<expansion>': 'command without `tt`, as one argument (- for stdin)',
        },
        options: { '--shell': 'run the expansion with sh' },
        notes,
        examples: [
          "tt alias set standup 'log yesterday'",
          'tt alias set billed \'report month --client "$1" --round 15m:up\'',
          'tt alias set lunch \'!tt stop && tt add Lunch --from "$1" --for 45m\'',
        ],
        load: alias('set'),
      }),
      rm: defineCommand({
        summary: 'remove an alias',
        args: { '<name>': 'name of the alias' },
        examples: ['tt alias rm standup', 'tt alias rm standup --json'],
        load: alias('rm'),
      }),
      import: defineCommand({
        summary: 'add the aliases of a file',
        args: { '<file>': 'JSON file with names and expansions (- for stdin)' },
        options: {
          '--clobber': 'replace existing aliases',
          '--shell': 'accept shell aliases without prompting',
        },
        notes: [
          'Adds all aliases of the file, or none if one is invalid. The file is a JSON object such as {"standup": "log yesterday"}.',
        ],
        examples: [
          "tt alias list --jq 'map({(.name): .expansion}) | add' > shared-aliases.json",
          'tt alias import shared-aliases.json',
          'tt alias import - --clobber < shared-aliases.json',
        ],
        load: alias('importFile'),
      }),
    },
    notes,
    examples: ['tt alias', "tt alias set standup 'log yesterday'", 'tt alias rm standup'],
  }),
}
