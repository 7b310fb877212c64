import { isInconclusive } from '../api/errors.js'
import type { Context } from '../cli/context.js'
import { hintText } from '../cli/next-step.js'
import { TtError } from '../lib/errors.js'
import type { SettlingChange } from '../outbox/delivery/settling-time.js'
import { deliveryWarnings, settlingReason } from '../outbox/messages.js'
import type { QueuedChange } from '../outbox/queued-change.js'
import type { Sync } from '../outbox/sync.js'
import { changeView } from './views/change.js'

/** Sends pending changes now and returns those that remain. */
export const now = {
  view: changeView,
  async run(ctx: Context, { wait = false }: { wait?: boolean } = {}): Promise<QueuedChange[]> {
    return deliver(ctx, await (await ctx.tracker()).sync(), wait)
  },
}

export const list = {
  usesDefaultSettings: true,
  view: changeView,
  async run(ctx: Context): Promise<QueuedChange[]> {
    return (await (await ctx.tracker()).sync()).list()
  },
}

export const retry = {
  view: changeView,
  async run(ctx: Context, ids: string[]): Promise<QueuedChange[]> {
    const sync = await (await ctx.tracker()).sync()
    sync.retry(ids.flatMap((id) => sync.find(id)))
    return deliver(ctx, sync)
  },
}

export const discard = {
  view: changeView,
  quietOnTerminal: true,
  async run(ctx: Context, ids: string[]): Promise<QueuedChange[] | undefined> {
    const room = await ctx.tracker()
    const sync = await room.sync()
    const changes = sync.withDependents(ids.flatMap((id) => sync.find(id)))
    const what = countText(changes.length)
    if (
      !(await ctx.confirm(`Discard ${what} that ${changes.length === 1 ? 'is' : 'are'} not at the service?`))
    )
      return undefined
    sync.discard(changes)
    if (changes.some(({ kind }) => kind === 'entry')) await room.timer.refresh()
    ctx.message(`Discarded ${what}.`)
    for (const { seq, outcomeUnknown } of changes)
      if (outcomeUnknown) ctx.warn(`Change ${seq} was sent before: the service may have it.`)
    return changes
  },
}

async function deliver(ctx: Context, sync: Sync, wait = false): Promise<QueuedChange[]> {
  const reasonFor = (settling: readonly SettlingChange[]) => settlingReason(settling, ctx.host.now())
  const result = await withProgress(ctx, (progress, show) =>
    sync.deliver({
      onProgress: progress,
      wait,
      onWait: (settling) => show(`Waiting: ${reasonFor(settling)}`),
    }),
  )
  const { delivered, failure: stopped } = result
  const remaining = sync.list()
  if (delivered > 0) ctx.message(`Delivered ${countText(delivered)}.`)
  for (const { message, nextStep } of deliveryWarnings(result, ctx.host.now())) ctx.warn(message, nextStep)
  // On a terminal the empty list prints this text.
  if (delivered === 0 && remaining.length === 0 && !ctx.host.stdout.isTTY) ctx.message(changeView.empty)
  const error = stopped ? pendingError(remaining, stopped) : rejectedError(remaining)
  if (error) ctx.failAfterOutput(error)
  return remaining
}

/** Shows a progress line on a terminal during the work. */
async function withProgress<Result>(
  ctx: Context,
  work: (
    progress: (state: { delivered: number; remaining: number }) => void,
    show: (text: string) => void,
  ) => Promise<Result>,
): Promise<Result> {
  let words = ''
  const waiting = ctx.withProgress(() => words)
  const show = (text: string) => {
    words = text
    waiting.show()
  }
  try {
    return await work(({ delivered, remaining }) => show(`Delivered ${delivered}, ${remaining} to go`), show)
  } finally {
    waiting.end()
  }
}

function pendingError(changes: readonly QueuedChange[], stopped: TtError): TtError {
  const count = changes.filter(({ state }) => state === 'waiting').length
  const verb = count === 1 ? 'waits' : 'wait'
  const { message, status } = stopped
  const isUnreachable: boolean = isInconclusive(stopped)
  return new TtError(
    isUnreachable ? 'unreachable' : stopped.code,
    `${countText(count)} still ${verb}. ${message}`,
    {
      hint: isUnreachable
        ? 'Nothing is lost: the next command retries, and so does `tt sync`.'
        : hintText(stopped),
      status,
      cause: stopped,
    },
  )
}

function rejectedError(changes: readonly QueuedChange[]): TtError | undefined {
  const rejected = changes.filter(({ state }) => state === 'refused' || state === 'conflict')
  const [first] = rejected
  if (!first) return undefined
  const verb = rejected.length === 1 ? 'is' : 'are'
  return new TtError('rejected', `${countText(rejected.length)} ${verb} set aside.`, {
    hint: `\`tt sync retry ${first.seq}\` sends one again, \`tt sync discard ${first.seq}\` drops it.`,
  })
}

function countText(count: number): string {
  return count === 1 ? '1 change' : `${count} changes`
}
