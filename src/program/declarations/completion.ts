import type { Command } from 'commander'
import { command, examples, type LazyAction } from '../lazy-commands.js'

/** `tt completion`. */
export function declareCompletion(program: Command, lazily: LazyAction) {
  command(program, 'completion', 'print the shell completion script', (command) =>
    command
      .argument('<shell>', 'bash, zsh, fish or powershell')
      .addHelpText(
        'after',
        examples(
          'tt completion bash > ~/.local/share/bash-completion/completions/tt',
          'tt completion fish > ~/.config/fish/completions/tt.fish',
        ),
      )
      .action(lazily(() => import('../../commands/completion.js'))),
  )
}
