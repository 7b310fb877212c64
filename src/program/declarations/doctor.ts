import type { Command } from 'commander'
import { summaries } from '../command-list.js'
import { type LazyAction, listCommand } from '../lazy-commands.js'
import { examples } from '../shared-options.js'

/** Declares `tt doctor`. */
export function declareDoctor(program: Command, lazyAction: LazyAction) {
  listCommand(program, 'doctor', summaries.doctor, (command) =>
    command
      .addHelpText('after', examples('tt doctor', 'tt doctor --profile acme', 'tt doctor --json'))
      .action(lazyAction(() => import('../../commands/doctor.js'))),
  )
}
