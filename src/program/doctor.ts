import type { Command } from 'commander'
import { examples, type Lazily, list } from './declaring.js'

/** `tt doctor`. */
export function declareDoctor(program: Command, lazily: Lazily) {
  list(program, 'doctor', 'look at everything tt depends on, and say what to do', (command) =>
    command
      .addHelpText('after', examples('tt doctor', 'tt doctor --profile acme', 'tt doctor --json'))
      .action(lazily(() => import('../commands/doctor.js'))),
  )
}
