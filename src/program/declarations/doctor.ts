import type { Command } from 'commander'
import { examples, type LazyAction, listCommand } from '../lazy-commands.js'

/** `tt doctor`. */
export function declareDoctor(program: Command, lazily: LazyAction) {
  listCommand(program, 'doctor', 'check everything tt depends on and suggest fixes', (command) =>
    command
      .addHelpText('after', examples('tt doctor', 'tt doctor --profile acme', 'tt doctor --json'))
      .action(lazily(() => import('../../commands/doctor.js'))),
  )
}
