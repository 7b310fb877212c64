import type { Company } from '../../api-client/types.js'
import { endOfDay, isTimeZone } from '../../lib/calendar/time-zone.js'
import { TtError } from '../../lib/errors.js'
import { dayMs } from '../../lib/time-units.js'
import { ChangeApplier, type ChangeApplierParts } from '../../outbox/change-applier.js'
import type { Plan, PlannedChange } from '../../outbox/plan.js'

/** The closed period of a company, whose entries and expenses are read-only. */
export interface ClosedPeriod {
  /** Its last day, YYYY-MM-DD. */
  lastDay: string
  /** The first instant after it, in epoch milliseconds. */
  end: number
}

/** Returns the closed period of a company, in its time zone; undefined if there is none. */
export async function closedPeriodOf(
  company: Pick<Company, 'closed_until' | 'time_zone'> | undefined,
): Promise<ClosedPeriod | undefined> {
  const { closed_until: lastDay, time_zone: zone } = company ?? {}
  if (!lastDay) return undefined
  return { lastDay, end: await endOfDay(lastDay, zone && isTimeZone(zone) ? zone : 'UTC') }
}

export interface OpenPeriodParts extends ChangeApplierParts {
  /** Returns the company, or its cached record of any age; undefined if it is not known. */
  company(options: { isCached: boolean }): Promise<Company | undefined>
}

/** Rejects the changes of the closed period before they are saved. The service rejects those that it learns of later. */
export class OpenPeriodChanges extends ChangeApplier {
  readonly #parts: OpenPeriodParts

  constructor(parts: OpenPeriodParts) {
    super(parts)
    this.#parts = parts
  }

  override apply(plan: () => Promise<Plan>) {
    return super.apply(async () => this.#checked(await plan()))
  }

  override readAndApply(plan: () => Promise<Plan>, afterwards?: () => Promise<void>) {
    return super.readAndApply(async () => this.#checked(await plan()), afterwards)
  }

  /**
   * Returns the plan. Throws TtError `rejected` if one of its steps concerns the closed period. An independent step does
   * not fail the command: its rejection is left to the service.
   */
  async #checked(plan: Plan): Promise<Plan> {
    const steps = plan.steps.filter(({ isIndependent }) => !isIndependent)
    const earliest = Math.min(...steps.flatMap((step) => times(step)))
    if (earliest === Number.POSITIVE_INFINITY) return plan
    // A period is rarely closed before its end, so that work of the last hours needs no request.
    const isCached = earliest > this.#parts.now.getTime() - dayMs
    const period = await closedPeriodOf(await this.#parts.company({ isCached }))
    const closed = period && steps.find((step) => isClosed(step, period))
    if (closed) throw closedError(closed, period)
    return plan
  }
}

/** Returns the times, in epoch milliseconds, by which a record belongs to a period: before and after the change. */
function times({ kind, record, fields }: PlannedChange): number[] {
  const field = kind === 'entry' ? 'time_start' : 'spent_on'
  return [record?.[field], fields?.[field]].flatMap((time) =>
    typeof time === 'string' ? Date.parse(time) : [],
  )
}

function isClosed(step: PlannedChange, { lastDay, end }: ClosedPeriod): boolean {
  // A date is parsed as midnight UTC.
  const before = step.kind === 'entry' ? end : Date.parse(lastDay) + dayMs
  return times(step).some((time) => time < before)
}

function closedError({ kind, op, record }: PlannedChange, { lastDay }: ClosedPeriod): TtError {
  const name = op === 'create' ? `The new ${kind}` : `The change of ${kind} ${record?.id}`
  return new TtError('rejected', `${name} is in the closed period, up to ${lastDay}. Nothing was changed.`, {
    hint: 'An administrator of the service can reopen it.',
  })
}
