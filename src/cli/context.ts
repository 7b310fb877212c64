import type { Api } from '../api-client/api.js'
import type { CircuitBreaker, CircuitRecord } from '../api-client/http/circuit-breaker.js'
import type { Account } from '../auth/account.js'
import { type ClientState, circuitSnapshot, openClientState, writeIfPossible } from '../cache/client-state.js'
import type { Staleness } from '../cache/staleness.js'
import type { Catalog } from '../catalog/catalog.js'
import type { ReferenceReader } from '../catalog/reference-data.js'
import { clientStatePath, deliveryLockPath, promptFilePath, workspacePath } from '../config/paths.js'
import type { StoredAccount } from '../config/profile.js'
import type { Tracker } from '../entries/create-tracker.js'
import type { Entries } from '../entries/entries.js'
import type { EntryWriter } from '../entries/entry-writer.js'
import type { Expenses } from '../entries/expenses/expenses.js'
import type { TimerControl } from '../entries/timer-control.js'
import type { LocalWorkspace } from '../service/local-workspace.js'
import type { Storage } from '../service/storage/storage.js'
import type { ShowTimer } from './prompt-file.js'
import type { CommonOptions } from './terminal.js'
import { UserContext } from './user-context.js'

export type { CommonOptions }

/** The services of the program for one command. Each part is created on first use, so that a command loads no others. */
export class Context extends UserContext {
  /** Whether the command changes entries or expenses, which it saves if the sign-in has expired. */
  canQueue = false
  #account: Promise<Account> | undefined
  #api: Promise<Api> | undefined
  #catalog: Promise<Catalog> | undefined
  #reference: Promise<ReferenceReader> | undefined
  #tracker: Promise<Tracker> | undefined
  #expenses: Promise<Expenses> | undefined
  #circuitBreaker: Promise<CircuitBreaker> | undefined
  #staleness: Promise<Staleness> | undefined
  #workspace: Promise<LocalWorkspace> | undefined
  #state: Promise<ClientState> | undefined
  #openedStorages: Storage[] = []
  /** Whether the latest response says that the service supports the Idempotency-Key of creates. */
  #supportsKeys = false
  #afterOutput: (() => Promise<void>)[] = []

  api(): Promise<Api> {
    this.#api ??= this.#createApi()
    return this.#api
  }

  catalog(): Promise<Catalog> {
    this.#catalog ??= this.#createCatalog()
    return this.#catalog
  }

  /** Reference data: clients, projects, tasks, links and the company. */
  reference(): Promise<ReferenceReader> {
    this.#reference ??= this.#createReference()
    return this.#reference
  }

  /** Warns once per command that the output is cached data. */
  staleness(): Promise<Staleness> {
    this.#staleness ??= this.#createStaleness()
    return this.#staleness
  }

  async entries(): Promise<Entries> {
    return (await this.tracker()).entries
  }

  async entryWriter(): Promise<EntryWriter> {
    return (await this.tracker()).entryWriter
  }

  async timerControl(): Promise<TimerControl> {
    return (await this.tracker()).timerControl
  }

  expenses(): Promise<Expenses> {
    this.#expenses ??= this.#createExpenses()
    return this.#expenses
  }

  /** Returns the function that updates the prompt file. */
  async showTimer(): Promise<ShowTimer> {
    const path = promptFilePath(this.paths, this.host.env, await this.uncheckedSetting('prompt_file'))
    if (path === undefined) return () => {}
    const { openPromptFile } = await import('./prompt-file.js')
    return openPromptFile(path, this.now)
  }

  /** The tracker: entries, outbox and delivery. */
  tracker(): Promise<Tracker> {
    this.#tracker ??= this.#createTracker()
    return this.#tracker
  }

  /** The circuit breaker of the service; undefined in the local workspace. */
  async circuitBreaker(): Promise<CircuitBreaker | undefined> {
    if (this.profile.kind === 'local') return undefined
    this.#circuitBreaker ??= this.#createCircuitBreaker()
    return this.#circuitBreaker
  }

  /** The client state of the profile: cached data and pending changes. */
  async state(): Promise<ClientState> {
    this.#state ??= openClientState(clientStatePath(this.paths, this.profile.stateKey), {
      // The local workspace stores entries itself; pending changes for a service exist only here.
      durability: this.profile.kind === 'local' ? 'normal' : 'full',
    })
    return this.#state
  }

  /** Opens the database at this location, or that of the local workspace if it is undefined. */
  async storage(location: string | undefined): Promise<Storage> {
    if (location === undefined) return (await this.#openWorkspace()).storage()
    const { openTeamStorage } = await import('../service/admin/bootstrap.js')
    const storage = await openTeamStorage(location)
    this.#openedStorages.push(storage)
    return storage
  }

  /** Runs this work after the output of the command is written, so that it does not delay the output. */
  afterOutput(work: () => Promise<void>) {
    this.#afterOutput.push(work)
  }

  /** Runs the work of `afterOutput`. */
  async runDeferred(): Promise<void> {
    for (const work of this.#afterOutput.splice(0)) await work()
  }

  async close(): Promise<void> {
    this.endProgress()
    // An error of opening was already reported by the caller that opened it.
    const state = await this.#state?.catch(() => undefined)
    state?.close()
    const workspace = await this.#workspace?.catch(() => undefined)
    await workspace?.close()
    for (const storage of this.#openedStorages) await storage.close()
  }

  /** The signed-in account; undefined in the local workspace and for TT_TOKEN. */
  async account(): Promise<Account | undefined> {
    const { profile } = this
    if (profile.kind !== 'stored') return undefined
    this.#account ??= this.openAccount(profile)
    return this.#account
  }

  async openAccount(profile: StoredAccount): Promise<Account> {
    const { openAccount } = await import('../auth/account.js')
    return openAccount(profile, {
      ...this.requests(),
      paths: this.paths,
      clock: this.host.now,
      isAttended: this.isInteractive,
    })
  }

  /** Returns a context of the same command for another profile; the caller closes it. */
  forProfile(profile: string): Context {
    return new Context(this.host, { ...this.options, profile })
  }

  async #createApi(): Promise<Api> {
    const circuitBreaker = await this.circuitBreaker()
    if (!circuitBreaker) {
      const { createLocalApi } = await import('./create-api.js')
      return createLocalApi(this, await this.#openWorkspace())
    }
    const { createServiceApi } = await import('./create-api.js')
    return createServiceApi(this, {
      circuitBreaker,
      connection: await this.#connection(),
      state: await this.state(),
      onResponse: (supportsKeys) => {
        this.#supportsKeys = supportsKeys
      },
    })
  }

  async #createCatalog(): Promise<Catalog> {
    const [{ Catalog }, reference] = await Promise.all([import('../catalog/catalog.js'), this.reference()])
    const workspace = await this.#workspace
    return new Catalog(reference, {
      create: workspace?.createLink,
      prompts: async () => {
        const prompts = await this.prompts()
        if (!prompts) return undefined
        const { taskPrompts } = await import('../commands/shared/prompts/task-prompts.js')
        return taskPrompts(prompts, workspace !== undefined)
      },
      message: (text) => this.message(text),
    })
  }

  async #createReference(): Promise<ReferenceReader> {
    const [{ ReferenceReader }, api] = await Promise.all([import('../catalog/reference-data.js'), this.api()])
    return new ReferenceReader(api, {
      state: this.profile.kind === 'local' ? undefined : await this.state(),
      now: this.now,
      staleness: () => this.staleness(),
    })
  }

  async #createStaleness(): Promise<Staleness> {
    const { Staleness } = await import('../cache/staleness.js')
    return new Staleness({ now: this.now, warn: (text) => this.warn(text) })
  }

  async #connection(): Promise<Account['connection']> {
    const account = await this.account()
    if (account) return account.connection
    if (this.profile.kind !== 'service') throw new Error('The local workspace is in this process.')
    const { baseUrl, token } = this.profile
    return { baseUrl, token: () => token }
  }

  async #createCircuitBreaker(): Promise<CircuitBreaker> {
    const [{ CircuitBreaker }, state] = await Promise.all([
      import('../api-client/http/circuit-breaker.js'),
      this.state(),
    ])
    return new CircuitBreaker({
      clock: this.host.now,
      memory: {
        read: () => (state.snapshot(circuitSnapshot)?.value ?? undefined) as CircuitRecord | undefined,
        write: (record) =>
          writeIfPossible(() => state.saveSnapshot(circuitSnapshot, record ?? null, this.host.now())),
      },
    })
  }

  async #createTracker(): Promise<Tracker> {
    const isLocal = this.profile.kind === 'local'
    const [{ createTracker }, showTimer, api, catalog, state, circuitBreaker, staleness] = await Promise.all([
      import('../entries/create-tracker.js'),
      this.showTimer(),
      this.api(),
      this.catalog(),
      this.state(),
      this.circuitBreaker(),
      // The local workspace is never stale.
      isLocal ? undefined : this.staleness(),
    ])
    return createTracker({
      api,
      catalog,
      state,
      circuitBreaker,
      isLocal,
      lockPath: deliveryLockPath(this.paths, this.profile.stateKey),
      now: this.now,
      clock: this.host.now,
      uptimeMs: this.host.uptimeMs,
      supportsKeys: () => this.#supportsKeys,
      warn: (text, nextStep) => this.warn(text, nextStep),
      warnAfterOutput: (text, nextStep) => this.warnAfterOutput(text, nextStep),
      warnStale: (error, known) => staleness?.note(error, known),
      showTimer,
    })
  }

  async #createExpenses(): Promise<Expenses> {
    const { Expenses } = await import('../entries/expenses/expenses.js')
    const [api, tracker, reference] = await Promise.all([this.api(), this.tracker(), this.reference()])
    return new Expenses({ ...tracker, api, reference, now: this.now })
  }

  #openWorkspace(): Promise<LocalWorkspace> {
    this.#workspace ??= this.#createWorkspace()
    return this.#workspace
  }

  async #createWorkspace(): Promise<LocalWorkspace> {
    const { openLocalWorkspace } = await import('../service/local-workspace.js')
    const path = workspacePath(this.paths)
    const workspace = await openLocalWorkspace(path, this.host.now, async () => {
      const { checkWorkspaceExists } = await import('../cache/lost-workspace.js')
      await checkWorkspaceExists(path, clientStatePath(this.paths, 'local'))
    })
    if (workspace.isNew) {
      this.warn(
        `Your time is stored on this machine, in the local workspace (${path}). ` +
          'To use a service instead, sign in with `tt login`.',
      )
    }
    return workspace
  }
}
