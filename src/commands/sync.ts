import { isInconclusive } from '../api-client/api-errors.js'
import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { hintText } from '../cli/next-step-text.js'
import { formatDateTime, formatTime, toRfc3339 } from '../lib/calendar/time.js'
import { TtError } from '../lib/errors.js'
import { countText } from '../lib/text/words.js'
import type { SettlingChange } from '../outbox/delivery/settling-time.js'
import { deliveryWarnings, resolveStep, settlingReason } from '../outbox/messages.js'
import type { Notices } from '../outbox/notices.js'
import { isRejected, type QueuedChange } from '../outbox/queued-change.js'
import type { ListedChange, Sync } from '../outbox/sync.js'
import type { commands } from '../program/declarations/sync.js'
import type { QueuedChangeJson } from '../records/shapes/entries.js'
import type { View } from '../ui/view.js'

const operationNames: Record<QueuedChange['op'], string> = { create: 'add', update: 'edit', delete: 'rm' }

/** Pending and rejected changes. */
const changeView: View<ListedChange> = {
  columns: [
    { key: 'id', title: 'ID', align: 'right' },
    {
      key: 'state',
      title: 'State',
      text: ({ state, phase }, style) => (isRejected(state) ? style.red(phase) : phase),
    },
    { key: 'op', title: 'Change', text: ({ op, kind }) => `${operationNames[op]} ${kind}` },
    { key: 'record', title: 'Record' },
    { key: 'when', title: 'When', text: whenOf },
    { key: 'notes', title: 'Notes', canShrink: true },
    { key: 'message', title: 'Reason', canShrink: true },
  ],
  json: (change): QueuedChangeJson => ({
    id: change.seq,
    state: change.state,
    op: change.op,
    kind: change.kind,
    record: change.record,
    when: textOrNull(recordOf(change).time_start ?? recordOf(change).spent_on),
    notes: textOrNull(recordOf(change).notes),
    fields: change.fields,
    attempts: change.attempts,
    in_doubt: change.outcomeUnknown,
    sent_at: change.sentAt === null ? null : toRfc3339(new Date(change.sentAt)),
    message: change.rejection?.message ?? null,
    candidates: change.candidates,
    status: change.rejection?.status ?? null,
    typed_at: toRfc3339(change.typedAt),
  }),
  footer: (changes) => {
    const reasons = changes.flatMap(({ seq, state, rejection }) =>
      isRejected(state) && rejection ? [`${seq}: ${rejection.message}`] : [],
    )
    return reasons.length > 0 ? reasons.join('\n') : undefined
  },
  empty: 'No pending changes.',
}

function recordOf({ base, fields }: QueuedChange): Record<string, unknown> {
  return { ...base, ...fields }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function whenOf(change: QueuedChange): string {
  const { time_start: start, spent_on: day } = recordOf(change)
  if (typeof start === 'string') return formatDateTime(new Date(start))
  return typeof day === 'string' ? day : ''
}

type Commands = typeof commands.sync.commands

/** Sends pending changes now and returns those that remain. */
export const now = {
  view: changeView,
  async run(ctx: Context, { options: { wait = false } }: Input<Commands['now']>): Promise<ListedChange[]> {
    const { sync, notices } = await ctx.tracker()
    await printLastFailure(ctx, notices)
    return deliver(ctx, await sync(), wait)
  },
}

/** Returns the pending and rejected changes. */
export const list = {
  allowsUnreadableSettings: true,
  view: changeView,
  async run(ctx: Context): Promise<ListedChange[]> {
    const { sync, notices } = await ctx.tracker()
    await printLastFailure(ctx, notices)
    return (await sync()).list()
  },
}

/** Sends rejected changes again, and returns those that remain. */
export const retry = {
  view: changeView,
  async run(ctx: Context, { args: { id: ids } }: Input<Commands['retry']>): Promise<ListedChange[]> {
    const sync = await (await ctx.tracker()).sync()
    sync.retry(ids.flatMap((id) => sync.find(id)))
    return deliver(ctx, sync)
  },
}

/** Decides which record at the service an ambiguous change has created, and returns the remaining changes. */
export const adopt = {
  view: changeView,
  async run(ctx: Context, { args: { n, record } }: Input<Commands['adopt']>): Promise<ListedChange[]> {
    const sync = await (await ctx.tracker()).sync()
    const [change] = sync.find(n)
    if (change) await sync.adopt(change, record)
    ctx.terminal.message(`Change ${n} is ${change?.kind} ${record}.`)
    return deliver(ctx, sync)
  },
}

/** Discards changes with those that depend on them, and returns them; undefined when the user declines. */
export const discard = {
  view: changeView,
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args: { id: ids } }: Input<Commands['discard']>,
  ): Promise<ListedChange[] | undefined> {
    const tracker = await ctx.tracker()
    const sync = await tracker.sync()
    const changes = sync.withDependents(ids.flatMap((id) => sync.find(id)))
    const count = countText(changes.length, 'change')
    const question = `Discard ${count} that ${changes.length === 1 ? 'is' : 'are'} not at the service?`
    if (!(await ctx.terminal.confirm(question))) return undefined
    sync.discard(changes)
    if (changes.some(({ kind }) => kind === 'entry')) await tracker.timer.refresh()
    ctx.terminal.message(`Discarded ${count}.`)
    for (const { seq, outcomeUnknown } of changes)
      if (outcomeUnknown) ctx.terminal.warn(`Change ${seq} was sent before: the service may have it.`)
    return changes
  },
}

/** Prints when and why the last delivery failed, to a user who may not have seen it. */
async function printLastFailure({ terminal, now, sendMode }: Context, { lastFailure }: Notices) {
  if (lastFailure && (await sendMode()) === 'background')
    terminal.message(
      `The last delivery failed at ${formatTime(lastFailure.at, now)}: ${lastFailure.error.message}`,
    )
}

async function deliver(ctx: Context, sync: Sync, wait = false): Promise<ListedChange[]> {
  const reasonFor = (settling: readonly SettlingChange[]) => settlingReason(settling, ctx.host.now())
  const result = await withProgress(ctx, (progress, show) =>
    sync.deliver({
      onProgress: progress,
      wait,
      onWait: (settling) => show(`Waiting: ${reasonFor(settling)}`),
    }),
  )
  const { delivered, failure } = result
  const remaining = sync.list()
  if (delivered > 0) ctx.terminal.message(`Sent ${countText(delivered, 'change')}.`)
  for (const { message, nextStep } of deliveryWarnings(result, ctx.host.now()))
    ctx.terminal.warn(message, nextStep)
  // On a terminal the empty list prints this text.
  if (delivered === 0 && remaining.length === 0 && !ctx.host.stdout.isTTY)
    ctx.terminal.message(changeView.empty)
  const error = failure ? pendingError(remaining, failure) : rejectedError(remaining)
  if (error) ctx.afterOutput.fail(error)
  return remaining
}

/** Shows progress on a terminal during the work. */
async function withProgress<Result>(
  ctx: Context,
  work: (
    progress: (state: { delivered: number; remaining: number }) => void,
    show: (text: string) => void,
  ) => Promise<Result>,
): Promise<Result> {
  let line = ''
  const progress = ctx.terminal.withProgress(() => line)
  const show = (text: string) => {
    line = text
    progress.show()
  }
  try {
    return await work(({ delivered, remaining }) => show(`Sent ${delivered}, ${remaining} pending`), show)
  } finally {
    progress.end()
  }
}

/** Returns the error after a delivery that ended with this failure. */
function pendingError(changes: readonly QueuedChange[], failure: TtError): TtError {
  const count = changes.filter(({ state }) => state === 'waiting').length
  const verb = count === 1 ? 'is' : 'are'
  const { code, message, status } = failure
  const isUnreachable: boolean = isInconclusive(failure)
  return new TtError(
    isUnreachable ? 'unreachable' : code,
    `${countText(count, 'change')} ${verb} still pending. ${message}`,
    {
      hint: isUnreachable
        ? 'The changes are saved. The next command sends them again, and so does `tt sync`.'
        : hintText(failure),
      status,
      cause: failure,
    },
  )
}

function rejectedError(changes: readonly QueuedChange[]): TtError | undefined {
  const rejected = changes.filter(({ state }) => isRejected(state))
  const [first] = rejected
  if (!first) return undefined
  const isConflict = rejected.every(({ state }) => state === 'conflict')
  const isAmbiguous = rejected.every(({ state }) => state === 'ambiguous')
  const verb = rejected.length === 1 ? 'is' : 'are'
  const problem = isAmbiguous ? 'ambiguous' : isConflict ? 'in conflict' : 'rejected'
  return new TtError('rejected', `${countText(rejected.length, 'change')} ${verb} ${problem}.`, {
    ...(rejected.length === 1
      ? { nextStep: resolveStep(first) }
      : { hint: 'Run `tt sync retry ID` to send one again, or `tt sync discard ID` to discard it.' }),
  })
}
