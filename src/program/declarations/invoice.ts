import { commandsIn, defineCommand, defineGroup } from '../../cli/declaration.js'
import { choice, day, groups, rounding } from '../../cli/option-values.js'
import { annexes, lineDimensions } from '../../lib/invoice-words.js'
import { alternatives } from '../../lib/text/words.js'
import { summaries } from '../command-list.js'
import { periodArgument } from '../options/shared-options.js'

const invoices = commandsIn(() => import('../../commands/invoice.js'))

const fileOption = { '-o, --output <file>': 'write to this file: .pdf, .html or .json' } as const

/** `tt invoice`. */
export const commands = {
  invoice: defineGroup({
    summary: summaries.invoice,
    default: 'create',
    commands: {
      create: defineCommand({
        summary: 'write an invoice of the uninvoiced time and expenses of a client',
        args: {
          '[client]': 'client name or ID',
          ...periodArgument('last month', 'last month, may or 2024-05-01..2024-05-15'),
        },
        options: {
          '--dry-run': 'write a draft and record nothing',
          '--earlier': 'include uninvoiced time from before the period',
          ...fileOption,
          '--setup': 'prompt for missing settings, also those of a client',
        },
        optionGroups: {
          Contents: {
            '--by <keys>': {
              description: `one line for each ${alternatives(lineDimensions)}; several with commas`,
              parse: groups(lineDimensions),
              default: 'project,task',
            },
            '--round <rounding>': {
              description: 'round each entry, such as 15m:up (default: the settings round.PATTERN)',
              parse: rounding,
            },
            '--expenses <how>': {
              description: 'net: taxed like time; gross: passed through untaxed; none: omitted',
              parse: choice(['net', 'gross', 'none']),
              default: 'net',
            },
            '--annex <list>': {
              description: 'append the days, or the entries with their notes',
              parse: choice(annexes),
              default: 'none',
            },
            '--currency <code>': 'ISO 4217 currency code, if the time has rates in several',
          },
          Number: {
            '--date <date>': { description: 'date of the invoice (default: today)', parse: day },
            '--number <number>': 'number outside the series',
          },
        },
        notes: [
          'An entry belongs to the day on which it starts, and is billed as a whole. Running and pending entries, and those without a rate, are listed and left out.',
        ],
        examples: [
          'tt invoice --setup Acme',
          'tt invoice Acme --dry-run',
          'tt invoice Acme',
          'tt invoice create Acme may --by task --round 15m:up --annex days -o may.pdf',
        ],
        load: invoices('create'),
      }),
      list: defineCommand({
        summary: 'list invoices and cancellations',
        hasFormats: true,
        examples: ['tt invoice list', 'tt invoice list --csv'],
        load: invoices('list'),
      }),
      show: defineCommand({
        summary: 'show an invoice, and what has changed since',
        args: { '<number>': 'number of the invoice' },
        hasFormats: true,
        examples: [
          'tt invoice show 2024-001',
          'tt invoice show 2024-001 --csv',
          'tt invoice show 2024-001 --jq .changes',
        ],
        load: invoices('show'),
      }),
      open: defineCommand({
        summary: 'write the file of an invoice again, and open it',
        args: { '<number>': 'number of the invoice' },
        options: fileOption,
        examples: ['tt invoice open 2024-001', 'tt invoice open 2024-001 -o invoice.pdf'],
        load: invoices('open'),
      }),
      void: defineCommand({
        summary: 'cancel an invoice with a cancellation, and release its entries',
        args: { '<number>': 'number of the invoice' },
        options: {
          ...fileOption,
          '--date <date>': { description: 'date of the cancellation (default: today)', parse: day },
          '--number <number>': 'number outside the series',
        },
        examples: ['tt invoice void 2024-001', 'tt invoice void 2024-001 --date yesterday -o void.pdf'],
        load: invoices('cancel'),
      }),
    },
    examples: ['tt invoice --setup', 'tt invoice Acme', 'tt invoice list'],
  }),
}
