import type { RecordKind, WireRecord } from '../api-client/types.js'
import type { Context } from '../cli/context.js'
import type { Input, Options } from '../cli/input.js'
import { dayOf } from '../lib/calendar/day.js'
import type { Period } from '../lib/calendar/period.js'
import { toRfc3339 } from '../lib/calendar/time.js'
import { isCurrency } from '../lib/currencies.js'
import { CancelledPrompt, TtError } from '../lib/errors.js'
import type { InvoiceLocale } from '../lib/invoice-words.js'
import { isEquivalent } from '../outbox/field-equality.js'
import type { commands } from '../program/declarations/invoice.js'
import type {
  CreatedInvoiceJson,
  InvoiceBody,
  InvoicedRecordChange,
  LeftOut,
  ShownInvoiceJson,
} from '../records/shapes/invoices.js'
import { createDraft } from '../report/invoice/document.js'
import { invoiceJson, type StoredInvoice } from '../report/invoice/invoice-store.js'
import { type Collected, collect, type Selection } from './invoice/collect.js'
import { logoOf, settingsOfClient, termsOf } from './invoice/terms.js'
import { createdInvoiceView, invoiceView, shownInvoiceSummary } from './invoice/views.js'
import {
  chooseInvoicePath,
  extensionOf,
  renderInvoice,
  writeInvoice,
} from './shared/invoices/invoice-file.js'
import { invoiceText, leftOutText } from './shared/invoices/invoice-text.js'
import {
  cancelInvoice,
  findInvoice,
  openInvoices,
  ProfileChanged,
  recordInvoice,
} from './shared/invoices/record-invoice.js'
import { recordView } from './views/record.js'

type Commands = typeof commands.invoice.commands

type CreateInput = Input<Commands['create']>

export const create = {
  view: createdInvoiceView,
  messageReplacesValue: true,
  async run(ctx: Context, { args, options }: CreateInput): Promise<CreatedInvoiceJson | undefined> {
    if (options.setup) {
      const { setUp } = await import('./invoice/setup.js')
      await setUp(ctx, args.client)
      return undefined
    }
    if (args.client === undefined) {
      throw new TtError('usage', 'Missing required argument "client".', {
        hint: 'For example: tt invoice Acme last month. `tt invoice list` lists the invoices.',
      })
    }
    const { typed, byDefault } = args.period
    return createInvoice(ctx, args.client, typed ?? byDefault, options)
  },
}

export const list = {
  allowsUnreadableSettings: true,
  view: invoiceView,
  async run(ctx: Context) {
    return (await openInvoices(ctx)).store.list().map((invoice) => invoiceJson(invoice, toRfc3339))
  },
}

export const show = {
  allowsUnreadableSettings: true,
  summary: (value: unknown) => shownInvoiceSummary(value as ShownInvoiceJson),
  async run(ctx: Context, { args }: Input<Commands['show']>): Promise<ShownInvoiceJson> {
    const { store } = await openInvoices(ctx)
    const invoice = findInvoice(store, args.number)
    return { ...invoiceJson(invoice, toRfc3339), changes: await changesOf(ctx, invoice) }
  },
}

export const open = {
  allowsUnreadableSettings: true,
  view: recordView<{ path: string }>({ path: 'Path' }, 'No file.'),
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args, options: { output } }: Input<Commands['open']>,
  ): Promise<{ path: string } | null> {
    const extension = extensionOf(output)
    const { store } = await openInvoices(ctx)
    const { body } = findInvoice(store, args.number)
    return renderInvoice(ctx, body, extension, async (rendered) => {
      const path = await chooseInvoicePath(ctx, output, body, rendered.extension)
      if (path === undefined) return null
      await writeInvoice(ctx, rendered, path, null)
      if (output === undefined && ctx.terminal.isInteractive) {
        const { openFile } = await import('../ui/browser.js')
        await openFile(path, ctx.host.env)
      }
      return { path }
    })
  },
}

export const cancel = {
  view: createdInvoiceView,
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args, options }: Input<Commands['void']>,
  ): Promise<CreatedInvoiceJson | undefined> {
    const extension = extensionOf(options.output)
    const { date } = options
    let file: string | undefined
    const cancellation = await cancelInvoice(
      ctx,
      { number: args.number },
      { date, chosen: options.number },
      (document, take) =>
        renderInvoice(ctx, document, extension, async (rendered) => {
          file = await chooseInvoicePath(ctx, options.output, document, rendered.extension)
          if (file === undefined) throw new CancelledPrompt('failure')
          const taken = await take()
          if (taken) await writeInvoice(ctx, rendered, file, taken.number)
          return taken
        }),
    )
    return cancellation && created(cancellation, [], file)
  },
}

async function createInvoice(
  ctx: Context,
  typedClient: string,
  period: Partial<Period>,
  options: Options<Commands['create']>,
): Promise<CreatedInvoiceJson | undefined> {
  const extension = extensionOf(options.output)
  const [settings, expenses, state] = [await ctx.config.settings(), await ctx.expenses(), await ctx.state()]
  const { weekStart } = settings
  const { date = dayOf(ctx.now), annex } = options
  const client = await expenses.names.findClient(typedClient)
  const invoices = await openInvoices(ctx)
  const own = settingsOfClient(settings, client.name)
  const selection: Selection = {
    ...{ client, period, weekStart, hasEarlier: options.earlier === true },
    lastInvoiced: invoices.store.lastDayOf(String(client.id)),
    by: options.by,
    rounding: options.round,
    expenses: options.expenses,
    currency: currencyFrom(options.currency),
    locale: (own.locale ?? settings.invoice.locale) as InvoiceLocale,
  }
  const logo = await logoOf(ctx, settings)
  const draftOf = (collected: Collected): InvoiceBody => {
    const terms = { ...termsOf(settings, { client, date, currency: collected.currency }), logo }
    const { first: since = null, last: until = null } = period
    return createDraft({
      ...{ terms, date, since, until, annex, expenseMode: selection.expenses },
      ...{ entries: collected.entries, expenses: collected.expenses },
    })
  }
  // Checks the settings before everything is read.
  termsOf(settings, { client, date, currency: 'EUR' })
  let version = state.version()
  const collected = await collect(ctx, selection)
  const draft = draftOf(collected)
  const { leftOut } = collected
  if (draft.entries.length + draft.expenses.length === 0) {
    throw new TtError('not_found', `There is nothing to invoice for ${client.name} in that period.`, {
      hint: leftOutText(ctx, leftOut) ?? 'Choose another period, or --earlier.',
    })
  }
  const facts = [invoiceText(draft), leftOutText(ctx, leftOut)].filter(Boolean).join('\n')
  if (options.dryRun) {
    ctx.terminal.message(facts)
    const file = await writeDraft(ctx, draft, options.output)
    return file === undefined ? undefined : draftJson(ctx, draft, leftOut, file)
  }
  await requireFresh(ctx)
  const question = `Write this invoice for ${client.name}, ${draft.total} ${draft.currency}?`
  if (!(await ctx.terminal.confirm(question, facts, { isPreview: true, subject: { invoice: draft } })))
    return undefined
  const records = [
    ...draft.entries.map(({ id }) => ({ kind: 'entry' as const, record: String(id) })),
    ...draft.expenses.map(({ id }) => ({ kind: 'expense' as const, record: String(id) })),
  ]
  const title = `Invoice for ${client.name}, ${draft.total} ${draft.currency}`
  for (;;) {
    try {
      const { invoice, file } = await recordInvoice(
        ctx,
        invoices,
        { draft, chosen: options.number, records, version, title },
        (document, take) =>
          renderInvoice(ctx, document, extension, async (rendered) => {
            const file = await chooseInvoicePath(ctx, options.output, document, rendered.extension)
            if (file === undefined) throw new CancelledPrompt('failure')
            const invoice = await take()
            if (!invoice) return undefined
            ctx.terminal.message(
              `Invoice ${invoice.number} for ${client.name}: ${draft.total} ${draft.currency}.`,
            )
            await writeInvoice(ctx, rendered, file, invoice.number)
            return { invoice, file }
          }),
      )
      return created(invoice, leftOut, file)
    } catch (error) {
      if (!(error instanceof ProfileChanged)) throw error
      version = state.version()
      const again = draftOf(await collect(ctx, selection))
      if (JSON.stringify(again) === JSON.stringify(draft)) continue
      throw new TtError('failure', 'Another command has changed what this invoice bills.', {
        hint: 'Nothing was recorded. Repeat the command.',
      })
    }
  }
}

/** Throws TtError `unreachable` if the entries or expenses are cached ones: the service may have others. */
async function requireFresh(ctx: Context) {
  const [{ isFresh }, expenses] = [await ctx.entries(), await ctx.expenses()]
  if (isFresh && expenses.isFresh) return
  throw new TtError('unreachable', 'An invoice needs the current entries and expenses of the service.', {
    hint: 'Nothing was recorded. `--dry-run` writes a draft from what is known on this machine.',
  })
}

async function writeDraft(
  ctx: Context,
  draft: InvoiceBody,
  output: string | undefined,
): Promise<string | undefined> {
  return renderInvoice(ctx, draft, extensionOf(output), async (rendered) => {
    const path = await chooseInvoicePath(ctx, output, draft, rendered.extension)
    if (path !== undefined) await writeInvoice(ctx, rendered, path, null)
    return path
  })
}

function created(invoice: StoredInvoice, leftOut: LeftOut[], file: string | undefined): CreatedInvoiceJson {
  return { ...invoiceJson(invoice, toRfc3339), left_out: leftOut, file: file ?? null }
}

function draftJson(ctx: Context, draft: InvoiceBody, leftOut: LeftOut[], file: string): CreatedInvoiceJson {
  const createdAt = toRfc3339(ctx.now)
  return { ...draft, status: 'draft', cancelled_by: null, created_at: createdAt, left_out: leftOut, file }
}

function currencyFrom(text: string | undefined): string | undefined {
  const code = text?.trim().toUpperCase()
  if (code === undefined || isCurrency(code)) return code
  throw new TtError('usage', `"${text}" is not a currency code (ISO 4217).`)
}

/** Returns the entries and expenses of an invoice that are deleted today, or whose time, task or amount is another one. */
async function changesOf(
  ctx: Context,
  { body, cancelledBy }: StoredInvoice,
): Promise<InvoicedRecordChange[]> {
  if (cancelledBy !== null || body.kind === 'cancellation') return []
  const [{ outbox, entries }, expenses] = [await ctx.tracker(), await ctx.expenses()]
  const changes: InvoicedRecordChange[] = []
  const compare = (
    kind: RecordKind,
    { id, ...billed }: { id: string | number } & Record<string, unknown>,
    current: WireRecord | undefined,
  ) => {
    const fields = Object.keys(billed).filter((name) => !isEquivalent(name, billed[name], current?.[name], 1))
    if (!current) changes.push({ kind, id, change: 'deleted', fields: [] })
    else if (fields.length > 0) changes.push({ kind, id, change: 'changed', fields })
  }
  const current = await currentEntries(ctx, body.entries)
  for (const { id, time_start, time_end, task_link_id } of body.entries) {
    const name = outbox.resolve('entry', String(id))
    const record = current.get(name) ?? (await entries.record(name))
    compare('entry', { id, time_start, time_end, task_link_id }, record)
  }
  const all = body.expenses.length === 0 ? [] : await expenses.list({}, {})
  for (const { id, date, amount } of body.expenses) {
    const name = outbox.resolve('expense', String(id))
    const found = all.find((expense) => String(expense.id) === name)
    const billed = { id, spent_on: date, amount }
    compare('expense', billed, found && { ...found.wire, currency: found.currency })
  }
  return changes
}

/** Returns the records of the entries around those of an invoice, by ID, with one list instead of a request for each. */
async function currentEntries(
  ctx: Context,
  billed: readonly { time_start: string }[],
): Promise<Map<string, WireRecord>> {
  const starts = billed.map(({ time_start: start }) => Date.parse(start))
  if (starts.length === 0) return new Map()
  const bounds = { start: new Date(Math.min(...starts)), end: new Date(Math.max(...starts) + 1) }
  const records = await (await ctx.entries()).records(bounds)
  return new Map(records.map((record) => [String(record.id), record]))
}
