import type { Context } from '../../cli/context.js'

/** Returns the time of an option like `parseTimeOrLast`; without one, the current time, rounded down to the second. */
export async function timeOrNow(ctx: Context, text: string | undefined): Promise<Date> {
  if (text === undefined) return new Date(Math.floor(ctx.now.getTime() / 1000) * 1000)
  const { parseTimeOrLast } = await import('../adjust/typed-times.js')
  return parseTimeOrLast(ctx, text)
}
