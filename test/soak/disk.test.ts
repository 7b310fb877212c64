import { expect, test } from 'vitest'
import {
  type InterruptedUser,
  type ReadRows,
  runInWorkspaces,
  runWithService,
  userCount,
} from '../support/killed-commands.js'
import { canInjectFaults } from '../support/strace.js'

const changeCount = Number(process.env.TT_DISK_CHANGES ?? 1000)

/** Runs commands; compares the records before there are too many possible states. Expects enough faults to occur. */
async function runCommands(user: InterruptedUser, rows: ReadRows, options: { hasService: boolean }) {
  for (let count = 0; count < changeCount / userCount && user.errors.length === 0; count++) {
    await user.runWithDiskFault(options)
    if (user.models.count > 4) await user.compare('shown', rows)
  }
  if (user.errors.length === 0) expect(user.diskFaultCount).toBeGreaterThan(changeCount / userCount / 5)
}

test.runIf(canInjectFaults)(
  `each of ${changeCount} commands reports correctly whether its change is saved on a failing disk, with a service`,
  () => runWithService('disk', runCommands),
)

test.runIf(canInjectFaults)(
  `each of ${changeCount} commands reports correctly whether its change is saved on a failing disk, in the local workspace`,
  () => runInWorkspaces('disk', runCommands),
)
