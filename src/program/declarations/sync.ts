import type { Command } from 'commander'
import { summaries } from '../command-list.js'
import { command, commandGroup, type LazyAction, listCommand } from '../lazy-commands.js'
import { examples } from '../shared-options.js'

const idMeaning =
  'change number (see `tt sync list`); if no change has that number, the ID of an entry or expense'

/** Declares `tt sync`. */
export function declareSync(program: Command, lazyAction: LazyAction) {
  commandGroup(program, 'sync', summaries.sync, (command) => declareCommands(command, lazyAction))
}

function declareCommands(sync: Command, lazyAction: LazyAction) {
  const load = () => import('../../commands/sync.js')
  sync.addHelpText('after', examples('tt sync', 'tt sync list', 'tt sync retry 7'))
  listCommand(
    sync,
    'now',
    'send pending changes now and list the remaining ones',
    (command) =>
      command
        .option(
          '--wait',
          'wait until every change whose response was lost has been found at the service or sent again',
        )
        .addHelpText('after', examples('tt sync', 'tt sync --wait', 'tt sync now --json | jq length'))
        .action(lazyAction(async () => (await load()).now)),
    true,
  )
  listCommand(sync, 'list', 'list pending and rejected changes', (command) =>
    command
      .addHelpText('after', examples('tt sync list', 'tt sync list --json'))
      .action(lazyAction(async () => (await load()).list)),
  )
  listCommand(sync, 'retry', 'resend rejected changes', (command) =>
    command
      .argument('<id...>', idMeaning)
      .addHelpText('after', examples('tt sync retry 7', 'tt sync retry ~7'))
      .action(lazyAction(async () => (await load()).retry)),
  )
  command(sync, 'discard', 'discard pending and rejected changes', (command) =>
    command
      .argument('<id...>', idMeaning)
      .addHelpText('after', examples('tt sync discard 7', 'tt sync discard ~7 --yes'))
      .action(lazyAction(async () => (await load()).discard)),
  )
}
