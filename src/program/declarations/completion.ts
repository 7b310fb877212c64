import type { Command } from 'commander'
import { summaries } from '../command-list.js'
import { command, type LazyAction } from '../lazy-commands.js'
import { examples } from '../shared-options.js'

/** Declares `tt completion`. */
export function declareCompletion(program: Command, lazyAction: LazyAction) {
  command(program, 'completion', summaries.completion, (command) =>
    command
      .argument('<shell>', 'bash, zsh, fish or powershell')
      .addHelpText(
        'after',
        examples(
          'tt completion bash > ~/.local/share/bash-completion/completions/tt',
          'tt completion fish > ~/.config/fish/completions/tt.fish',
        ),
      )
      .action(lazyAction(() => import('../../commands/completion.js'))),
  )
}
