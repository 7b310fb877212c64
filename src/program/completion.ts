import type { Command } from 'commander'
import type { Tree } from '../completion/line.js'
import { declareInside, defaultOf, examples, type Lazily, leaf } from './declaring.js'

/** `tt completion`. */
export function declareCompletion(program: Command, lazily: Lazily) {
  leaf(program, 'completion', 'print the script that completes tt in a shell', (command) =>
    command
      .argument('<shell>', 'bash, zsh, fish or powershell')
      .addHelpText(
        'after',
        examples(
          'tt completion bash > ~/.local/share/bash-completion/completions/tt',
          'tt completion fish > ~/.config/fish/completions/tt.fish',
        ),
      )
      .action(lazily(() => import('../commands/completion.js'))),
  )
}

/** `tt __complete -- WORD...`, which those scripts call: it is in no list of commands. */
export function declareComplete(program: Command, lazily: Lazily, root: Tree['root']) {
  const tree: Tree = { root, declareInside, defaultOf }
  program
    .command('__complete')
    .argument('[words...]')
    .action(lazily(async () => (await import('../commands/complete.js')).completing(tree)))
}
