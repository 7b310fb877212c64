import { test } from 'vitest'
import {
  type InterruptedUser,
  type ReadRows,
  runInWorkspaces,
  runWithService,
  userCount,
} from '../support/killed-commands.js'

const killsEach = Number(process.env.TT_KILLS ?? 240)
/** Ten minutes for the usual number; a kill takes two seconds on a busy machine. */
const timeout = Math.max(600_000, killsEach * 3000)

/** The fewest kills before and after the service executed a request, of each user. */
const killsAtRequest = Math.max(1, Math.floor(killsEach / 80))

/** Runs and kills commands; compares the records before there are too many possible states. */
async function killMany(user: InterruptedUser, rows: ReadRows, options: { hasService: boolean }) {
  const isFinished = () =>
    user.killCount >= killsEach / userCount &&
    (!options.hasService || Math.min(...Object.values(user.killsAtRequest)) >= killsAtRequest)
  while (!isFinished() && user.errors.length === 0) {
    await user.runAndKill(options)
    if (user.models.count > 4) await user.compare('shown', rows)
  }
}

test(`a change exists once or not at all after ${killsEach} kills of tt, with a service`, { timeout }, () =>
  runWithService('killed', killMany),
)

test(
  `a change exists once or not at all after ${killsEach} kills of tt, in the local workspace`,
  {
    timeout,
  },
  () => runInWorkspaces('killed', killMany),
)
