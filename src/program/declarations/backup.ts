import type { Command } from 'commander'
import { summaries } from '../command-list.js'
import { command, type LazyAction } from '../lazy-commands.js'
import { examples } from '../shared-options.js'

/** Declares `tt backup`. */
export function declareBackup(program: Command, lazyAction: LazyAction) {
  command(program, 'backup', summaries.backup, (command) =>
    command
      .argument('[file]', 'file or directory (default: tt-backup-DATE-TIME.tar.gz in the current directory)')
      .addHelpText(
        'after',
        '\nSaves the local workspace, pending changes, cached data and history of all profiles, the profiles and the' +
          '\nsettings. Passwords, tokens and keys are not included. Other tt commands can run at the same time.',
      )
      .addHelpText('after', examples('tt backup', 'tt backup ~/backups', 'tt backup --json | jq -r .file'))
      .action(lazyAction(() => import('../../commands/backup.js'))),
  )
}
