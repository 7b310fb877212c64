import { defineCommand } from '../../cli/declaration.js'
import { choice } from '../../cli/option-values.js'
import { summaries } from '../command-list.js'

/** `tt doctor` and `tt completion`. */
export const commands = {
  doctor: defineCommand({
    summary: summaries.doctor,
    options: { '--salvage <file>': 'save what can be read of damaged databases in a backup' },
    hasFormats: true,
    examples: ['tt doctor', 'tt doctor --profile acme', 'tt doctor --salvage salvaged.tar.gz'],
    load: () => import('../../commands/doctor.js'),
  }),
  completion: defineCommand({
    summary: summaries.completion,
    args: {
      '<shell>': {
        description: 'bash, zsh, fish or powershell',
        parse: choice(['bash', 'zsh', 'fish', 'powershell']),
      },
    },
    examples: [
      'tt completion bash > ~/.local/share/bash-completion/completions/tt',
      'tt completion fish > ~/.config/fish/completions/tt.fish',
    ],
    load: () => import('../../commands/completion.js'),
  }),
}
