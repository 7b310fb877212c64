import { commandsIn, defineCommand, defineGroup } from '../../cli/declaration.js'
import { summaries } from '../command-list.js'

const sync = commandsIn(() => import('../../commands/sync.js'))
const idArgument = {
  '<id...>':
    'change number (see `tt sync list`); if no change has that number, the ID of an entry or expense',
} as const

/** `tt sync`. */
export const commands = {
  sync: defineGroup({
    summary: summaries.sync,
    default: 'now',
    commands: {
      now: defineCommand({
        summary: 'send pending changes now and list the remaining ones',
        hasFormats: true,
        notes: [
          'With --wait, waits until every change whose response was lost has been found at the service or sent again.',
        ],
        examples: ['tt sync', 'tt sync --wait', 'tt sync now --jq length'],
        load: sync('now'),
      }),
      list: defineCommand({
        summary: 'list pending and rejected changes',
        hasFormats: true,
        examples: ['tt sync list', 'tt sync list --json'],
        load: sync('list'),
      }),
      retry: defineCommand({
        summary: 'resend rejected changes',
        args: idArgument,
        hasFormats: true,
        examples: ['tt sync retry 7', 'tt sync retry ~7'],
        load: sync('retry'),
      }),
      adopt: defineCommand({
        summary: 'settle an ambiguous new record with the one that the service has',
        args: { '<n>': 'change number (see `tt sync list`)', '<record>': 'ID of the entry or expense' },
        hasFormats: true,
        examples: ['tt sync adopt 7 1234', 'tt sync adopt 7 1234 --json'],
        load: sync('adopt'),
      }),
      discard: defineCommand({
        summary: 'discard pending and rejected changes',
        args: idArgument,
        examples: ['tt sync discard 7', 'tt sync discard ~7 --yes'],
        load: sync('discard'),
      }),
    },
    examples: ['tt sync', 'tt sync list', 'tt sync retry 7'],
  }),
}
