import { defineCommand } from '../../cli/declaration.js'
import { choice } from '../../cli/option-values.js'
import { summaries } from '../command-list.js'

/** `tt backup`, `tt restore`, `tt doctor` and `tt completion`. */
export const commands = {
  backup: defineCommand({
    summary: summaries.backup,
    args: {
      '[file]': 'file or directory (default: tt-backup-DATE-TIME.tar.gz in the current directory)',
    },
    notes: [
      'Saves the local workspace, pending changes, cached data and history of all profiles, the profiles, the settings and the aliases. Passwords, tokens and keys are not included. Other tt commands can run at the same time.',
    ],
    examples: ['tt backup', 'tt backup ~/backups', 'tt backup --jq .file'],
    load: () => import('../../commands/backup.js'),
  }),
  restore: defineCommand({
    summary: summaries.restore,
    args: { '<file>': 'backup of `tt backup`' },
    options: {
      '--with-commands': 'also restore settings that are paths or commands, and shell aliases',
    },
    notes: [
      'Verifies the backup, shows what it replaces and prompts. The current data is saved in another backup first. Profiles that are not in the backup stay; the others may need a new sign-in.',
      'Settings that are paths or commands, and shell aliases, are listed and need a confirmation of their own or --with-commands. With --yes alone, the current ones stay.',
    ],
    examples: ['tt restore tt-backup-2024-05-03-180000.tar.gz', 'tt restore backup.tar.gz --yes --json'],
    load: () => import('../../commands/restore.js'),
  }),
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
