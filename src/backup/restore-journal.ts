import { existsSync, readFileSync, rmSync } from 'node:fs'
import { withoutBackgroundDelivery } from '../config/background-lock.js'
import { parseJson } from '../config/config-file.js'
import {
  configLockPath,
  deliveryLockPath,
  invoiceNumbersLockPath,
  type Paths,
  profilesLockPath,
  restoreDirectory,
  restorePlanPath,
} from '../config/paths.js'
import { errorMessage, TtError } from '../lib/errors.js'
import { isObject } from '../lib/is-object.js'
import { withLock } from '../lib/lock.js'
import { syncDirectory, writePrivateFile } from '../lib/private-file.js'

/** A pending restore: the files beside this plan replace the current ones. */
export interface RestorePlan {
  /** A random number that identifies the restore, and that each database stores with its new rows. */
  id: number
  /** The suffix of the new names of damaged databases. */
  suffix: string
}

/**
 * Runs `work` while no other process takes an invoice number, delivers changes of these client states, or changes profiles or
 * settings. The process that delivers finishes first; one in the background ends.
 */
export async function withRestoreLocks<Result>(
  paths: Paths,
  stateKeys: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const delivering = stateKeys.map((key) => deliveryLockPath(paths, key))
  const locks = [
    ...[invoiceNumbersLockPath(paths), ...delivering],
    ...[profilesLockPath(paths), configLockPath(paths)],
  ]
  const locked = locks.reduceRight<() => Promise<Result>>((inner, path) => () => withLock(path, inner), work)
  return stateKeys.reduceRight<() => Promise<Result>>(
    (inner, key) => () => withoutBackgroundDelivery(paths, key, inner),
    locked,
  )()
}

/** Returns whether a restore is pending: this process, or the next command, completes it. */
export function hasPlan(paths: Paths): boolean {
  return existsSync(restorePlanPath(paths))
}

/** Makes the restore pending. */
export function writePlan(paths: Paths, plan: RestorePlan) {
  writePrivateFile(restorePlanPath(paths), JSON.stringify(plan))
}

/** Returns the plan of the pending restore. Throws TtError `failure` for a file that this program has not written. */
export function readPlan(paths: Paths): RestorePlan {
  const path = restorePlanPath(paths)
  try {
    const plan = parseJson(readFileSync(path, 'utf8'))
    if (!isPlan(plan)) throw new Error('it has other values than expected')
    return plan
  } catch (cause) {
    throw new TtError('failure', `The plan ${path} cannot be read: ${errorMessage(cause)}.`, {
      hint: `An interrupted restore cannot be completed. Remove ${restoreDirectory(paths)}, and restore the backup again.`,
      nextStep: { action: 'restore' },
      cause,
    })
  }
}

function isPlan(value: unknown): value is RestorePlan {
  if (!isObject(value)) return false
  const { id, suffix } = value
  return (
    Number.isInteger(id) &&
    (id as number) > 0 &&
    (id as number) < 2 ** 31 &&
    /^damaged-\w+$/.test(String(suffix))
  )
}

/** Returns a plan with a new number. */
export function createPlan(now: Date): RestorePlan {
  const id = 1 + Math.floor(Math.random() * (2 ** 31 - 2))
  return { id, suffix: `damaged-${now.toISOString().replace(/\W/g, '')}` }
}

/** Ends the pending restore. */
export function removePlan(paths: Paths) {
  rmSync(restorePlanPath(paths), { force: true })
  syncDirectory(restoreDirectory(paths))
}

/** Returns the new path of a damaged database, which the restore renames. */
export function newPathOf(path: string, { suffix }: RestorePlan): string {
  return `${path}.${suffix}`
}
