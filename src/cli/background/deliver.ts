import { existsSync } from 'node:fs'
import { isBackgroundUnwanted } from '../../config/background-lock.js'
import { backgroundLockPath, pathsFor, restorePlanPath } from '../../config/paths.js'
import { exitStatus, TtError } from '../../lib/errors.js'
import { setWaitListener, tryWithLock } from '../../lib/lock.js'
import type { Notice } from '../../lib/next-step.js'
import { Terminal } from '../context/terminal.js'
import { withContext } from '../context/with-context.js'
import type { Context } from '../context.js'
import type { Host } from '../host.js'

/**
 * Sends the pending changes of a profile, in the process that `startDelivery` has started, and resolves to its exit status. It
 * prints nothing: the next command does.
 */
export async function deliverInBackground(words: readonly string[], host: Host): Promise<number> {
  const [profile, stateKey, baseUrl] = words
  // The next command completes an interrupted restore, and says so.
  if (profile === undefined || existsSync(restorePlanPath(pathsFor(host.env)))) return exitStatus.usage
  const warnings: Notice[] = []
  const options = { profile, input: false, hooks: false, wait: true }
  try {
    await withContext(
      {
        ...{ host, options, canQueue: true, allowsUnreadableSettings: true, isBackground: true },
        createTerminal: (...parts) => new SilentTerminal(warnings, ...parts),
      },
      async (ctx) => {
        const { stateKey: key, baseUrl: url } = ctx.config.profile
        if (key === stateKey && url === baseUrl) await deliver(ctx, warnings)
      },
    )
    return 0
  } catch (error) {
    // Such as a profile that was removed: the changes stay.
    if (error instanceof TtError) return exitStatus[error.code]
    throw error
  }
}

async function deliver(ctx: Context, warnings: Notice[]): Promise<void> {
  const { paths, profile } = ctx.config
  const { notices, timer, deliverInBackground } = await ctx.tracker()
  const account = await ctx.account()
  setWaitListener(undefined)
  const lockPath = backgroundLockPath(paths, profile.stateKey)
  await deliverInBackground({
    ownLock: (work, options) => tryWithLock(lockPath, work, options),
    isUnwanted: () => isBackgroundUnwanted(paths, profile.stateKey),
    async checkCredentials() {
      try {
        await account?.connection.token()
      } catch (error) {
        // Requests report all other errors.
        if (!(error instanceof TtError) || error.code === 'failure') throw error
      }
    },
    async refresh() {
      // Its time is that of the requests: this process may have waited for a minute.
      const now = ctx.forProfile(profile.name)
      const { timer, changes } = await now.tracker()
      const [running] = await timer.read({ silent: true, allowEmpty: true })
      timer.rememberRead(running)
      await changes.reportDuplicates()
      const reference = await now.reference()
      await reference.recent('catalog')
      await reference.recent('company')
    },
    storeWarnings() {
      warnings.push(...ctx.afterOutput.takeWarnings())
      notices.add(warnings.splice(0), [])
    },
  })
  timer.show()
}

/** Stores warnings instead of printing them. */
class SilentTerminal extends Terminal {
  readonly #warnings: Notice[]

  constructor(warnings: Notice[], ...parts: ConstructorParameters<typeof Terminal>) {
    super(...parts)
    this.#warnings = warnings
  }

  override message() {}

  override warn(message: string, nextStep?: Notice['nextStep']) {
    this.#warnings.push({ message, ...(nextStep && { nextStep }) })
  }

  override get isInteractive(): boolean {
    return false
  }
}
