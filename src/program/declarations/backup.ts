import { summaries } from '../command-list.js'
import { defineCommand } from '../declaration.js'

/** `tt backup`. */
export const commands = {
  backup: defineCommand({
    summary: summaries.backup,
    args: {
      '[file]': 'file or directory (default: tt-backup-DATE-TIME.tar.gz in the current directory)',
    },
    notes: [
      'Saves the local workspace, pending changes, cached data and history of all profiles, the profiles and the settings. Passwords, tokens and keys are not included. Other tt commands can run at the same time.',
    ],
    examples: ['tt backup', 'tt backup ~/backups', 'tt backup --json | jq -r .file'],
    load: () => import('../../commands/backup.js'),
  }),
}
