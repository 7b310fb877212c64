import type { Api } from '../api/api.js'
import type { CircuitBreaker, CircuitRecord } from '../api/circuit-breaker.js'
import type { Http, ProgressCounter } from '../api/http.js'
import type { HeadersLike } from '../api/transport.js'
import type { Account } from '../auth/account.js'
import {
  type ClientState,
  expenseDateMemory,
  openClientState,
  writeIfPossible,
} from '../cache/client-state.js'
import type { Staleness } from '../cache/staleness.js'
import type { Day } from '../calendar/day.js'
import type { Catalog } from '../catalog/catalog.js'
import type { Reference } from '../catalog/reference-data.js'
import { type DirectoryFile, readDirectoryFile } from '../config/directory-file.js'
import {
  clientStatePath,
  deliveryLockPath,
  type Paths,
  pathsFor,
  promptFilePath,
  workspacePath,
} from '../config/paths.js'
import { type Profile, type StoredAccount, selectProfile } from '../config/profile.js'
import { readProfiles } from '../config/profiles.js'
import type { Settings } from '../config/settings/settings.js'
import type { Tracker } from '../entries/create-tracker.js'
import type { Entries } from '../entries/entries.js'
import type { Expenses } from '../entries/expenses.js'
import { TtError } from '../lib/errors.js'
import type { WorkCalendar } from '../report/work-calendar.js'
import type { LocalWorkspace } from '../service/local-workspace.js'
import type { Storage } from '../service/storage/storage.js'
import { escapeLines } from '../ui/text.js'
import type { Host } from './host.js'
import type { ShowTimer } from './prompt-file.js'
import { type CommonOptions, Terminal } from './terminal.js'

export type { CommonOptions }

/** What a command is handed. Every part is made on first use, so that a command pays for what it needs alone. */
export class Context extends Terminal {
  /** The moment the command was typed: one instant for all that it does. */
  readonly now: Date
  /** The command changes entries or expenses: with an expired sign-in its changes are saved. */
  canQueue = false
  #profile: Profile | undefined
  #directory: DirectoryFile | undefined | null = null
  #settings: Promise<Settings> | undefined
  #values: Promise<Record<string, unknown> | undefined> | undefined
  #usesDefaults = false
  #work: Promise<WorkCalendar> | undefined
  #account: Promise<Account> | undefined
  #api: Promise<Api> | undefined
  #catalog: Promise<Catalog> | undefined
  #reference: Promise<Reference> | undefined
  #tracker: Promise<Tracker> | undefined
  #expenses: Promise<Expenses> | undefined
  #circuitBreaker: Promise<CircuitBreaker> | undefined
  #staleness: Promise<Staleness> | undefined
  #workspace: Promise<LocalWorkspace> | undefined
  #state: Promise<ClientState> | undefined
  #opened: Storage[] = []
  /** Whether the service has said in its latest response that it honours the Idempotency-Key of creates. */
  #honoursKeys = false
  #afterOutput: (() => Promise<void>)[] = []

  constructor(world: Host, options: CommonOptions) {
    super(world, options)
    this.now = world.now()
  }

  /** Whose time is kept where. Throws TtError like `profileInForce`. */
  get profile(): Profile {
    this.#profile ??= selectProfile(this.host.env, this.options.profile, () => this.fromDirectory('profile'))
    return this.#profile
  }

  /** The directory file of the tree that the user is in; undefined where there is none. Warns about what is ignored. */
  get directory(): DirectoryFile | undefined {
    if (this.#directory === null) {
      const cwd = this.host.cwd()
      this.#directory = cwd === undefined ? undefined : readDirectoryFile(cwd)
      const { path, problem, ignored = [] } = this.#directory ?? {}
      if (problem !== undefined) this.warn(`Ignored ${path}: it ${problem}.`)
      if (ignored.length > 0)
        this.warn(`Ignored in ${path}: ${ignored.join(', ')}. Only profile, task and notes are read there.`)
    }
    return this.#directory
  }

  /** Returns the directory file after printing its path as the source of those of the given values that it has. */
  fromDirectory(...names: ('profile' | 'task' | 'notes')[]): DirectoryFile | undefined {
    const { directory } = this
    const supplied = names.filter((name) => directory?.[name] !== undefined)
    // A line of a template is often part of a shell prompt: it stays alone.
    if (supplied.length > 0 && this.options.template === undefined)
      this.warn(`Using ${supplied.join(' and ')} from ${directory?.path}.`)
    return directory
  }

  /** The settings of the user. Throws TtError `usage` like `readSettings`; see also `useDefaultsIfUnreadable`. */
  settings(): Promise<Settings> {
    this.#settings ??= this.#readSettings()
    return this.#settings
  }

  /** One value of `config.json`, unchecked: short commands do not load the table of settings. Throws like `settings`. */
  async uncheckedSetting(name: 'notes_from_branch' | 'prompt_file'): Promise<unknown> {
    return (await this.#storedValues())?.[name]
  }

  /** Makes this command warn and use the default settings when `config.json` cannot be read, instead of failing. */
  allowUnreadableSettings() {
    this.#usesDefaults = true
  }

  /** Which days are worked on, and how much, as it is set. Throws TtError `usage` like `settings` and `readHolidays`. */
  workCalendar(): Promise<WorkCalendar> {
    this.#work ??= this.#createWorkCalendar()
    return this.#work
  }

  /** Where `tt` keeps its files. */
  get paths(): Paths {
    return pathsFor(this.host.env)
  }

  api(): Promise<Api> {
    this.#api ??= this.#connect()
    return this.#api
  }

  catalog(): Promise<Catalog> {
    this.#catalog ??= this.#createCatalog()
    return this.#catalog
  }

  /** What does not change with tracking: the catalog's lists, the company and the like. */
  reference(): Promise<Reference> {
    this.#reference ??= this.#createReference()
    return this.#reference
  }

  /** Says, once a command, that what is shown is not what the service says now. */
  staleness(): Promise<Staleness> {
    this.#staleness ??= this.#createStaleness()
    return this.#staleness
  }

  async entries(): Promise<Entries> {
    return (await this.tracker()).entries
  }

  expenses(): Promise<Expenses> {
    this.#expenses ??= this.#createExpenses()
    return this.#expenses
  }

  /** What has prompts show the timer. */
  async showTimer(): Promise<ShowTimer> {
    const path = promptFilePath(this.paths, this.host.env, await this.uncheckedSetting('prompt_file'))
    if (path === undefined) return () => {}
    const { openPromptFile } = await import('./prompt-file.js')
    return openPromptFile(path, this.now)
  }

  /** The outbox, and what delivers it. */
  tracker(): Promise<Tracker> {
    this.#tracker ??= this.#createTracker()
    return this.#tracker
  }

  /** How the service is reached; undefined in the local workspace. */
  async circuitBreaker(): Promise<CircuitBreaker | undefined> {
    if (this.profile.kind === 'local') return undefined
    this.#circuitBreaker ??= this.#createCircuitBreaker()
    return this.#circuitBreaker
  }

  /** What this machine keeps of the profile. */
  async state(): Promise<ClientState> {
    this.#state ??= openClientState(clientStatePath(this.paths, this.profile.stateKey), {
      // What the local workspace has taken is on the disk there; a service has it only when the outbox has delivered it.
      durability: this.profile.kind === 'local' ? 'normal' : 'full',
    })
    return this.#state
  }

  /** The database that `--database` names, otherwise that of the local workspace. */
  async storage(location: string | undefined): Promise<Storage> {
    if (location === undefined) return (await this.#openWorkspace()).storage()
    const { openTeamStorage } = await import('../service/admin/bootstrap.js')
    const storage = await openTeamStorage(location)
    this.#opened.push(storage)
    return storage
  }

  /** Has the command go on with this once its value is shown: whoever waits for the value does not wait for it. */
  afterOutput(work: () => Promise<void>) {
    this.#afterOutput.push(work)
  }

  /** Does what `whenShown` was told. */
  async runDeferred(): Promise<void> {
    for (const work of this.#afterOutput.splice(0)) await work()
  }

  async close(): Promise<void> {
    this.endProgress()
    // What could not be opened has been reported by whoever asked for it.
    const state = await this.#state?.catch(() => undefined)
    state?.close()
    const workspace = await this.#workspace?.catch(() => undefined)
    await workspace?.close()
    for (const storage of this.#opened) await storage.close()
  }

  /** The account that was signed in to; undefined in the local workspace, and for an account of the environment. */
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

  /** A context of the same command for another profile; the caller closes it. */
  forProfile(profile: string): Context {
    return new Context(this.host, { ...this.options, profile })
  }

  /** What every request to a service says of `tt`, and to whom it is told under --debug. */
  requests(): { userAgent: string; trace?: (line: string) => void } {
    const { debug } = this.options
    const trace = (line: string) => void this.host.stderr.write(escapeLines(line))
    return { userAgent: 'tt', ...(debug ? { trace } : {}) }
  }

  async #readSettings(): Promise<Settings> {
    const [{ readSettings }, values] = await Promise.all([
      import('../config/settings/settings-file.js'),
      this.#storedValues(),
    ])
    return readSettings(this.paths, () => values)
  }

  #storedValues(): Promise<Record<string, unknown> | undefined> {
    this.#values ??= this.#readValues()
    return this.#values
  }

  async #readValues(): Promise<Record<string, unknown> | undefined> {
    const { storedValues } = await import('../config/settings/stored-values.js')
    try {
      return storedValues(this.paths)
    } catch (error) {
      if (!this.#usesDefaults || !(error instanceof TtError)) throw error
      this.warn(`${error.message} The default settings are used.`)
      return undefined
    }
  }

  async #createWorkCalendar(): Promise<WorkCalendar> {
    const { workingDays, targets, holidays } = await this.settings()
    const { workCalendar } = await import('../report/work-calendar.js')
    const listed = new Set(holidays.days)
    if (holidays.file === undefined) return workCalendar({ workingDays, targets, holidays: listed })
    const { readHolidays } = await import('../config/settings/holidays.js')
    const ofFile = await readHolidays(holidays.file, this.host.env)
    const has = (day: Day) => listed.has(day) || ofFile.has(day)
    return workCalendar({ workingDays, targets, holidays: { has } })
  }

  async #connect(): Promise<Api> {
    const [{ createApi }, { createHttp }, { supportsIdempotencyKeys }] = await Promise.all([
      import('../api/endpoints.js'),
      import('../api/http.js'),
      import('../api/idempotency-key.js'),
    ])
    const common = this.requests()
    const reach = await this.circuitBreaker()
    if (reach) {
      const connection = await this.#connection()
      const asking = () => `Asking ${new URL(connection.baseUrl).host} …`
      const withProgress = () => this.label(asking)
      const countItems: ProgressCounter = (batches) =>
        this.countItems(batches, (count) => `${asking()} ${count} records`)
      const { openPagingMemory } = await import('../cache/paging-memory.js')
      const onResponse = (headers: HeadersLike) => {
        this.#honoursKeys = supportsIdempotencyKeys(headers)
      }
      const http = createHttp({
        ...common,
        ...connection,
        withProgress,
        onResponse,
        countItems,
      })
      const state = await this.state()
      return createApi(reach.guard(await this.#queueing(http)), {
        pagingMemory: openPagingMemory(state, this.now),
        expenseDateMemory: expenseDateMemory(state, this.host.now),
        warn: (text) => this.warn(text),
      })
    }
    const { fetch } = await this.#openWorkspace()
    const countItems: ProgressCounter = (batches) =>
      this.countItems(batches, (count) => `Reading … ${count} records`)
    const local = { baseUrl: 'http://localhost/api/v1', token: () => 'local', fetch }
    return createApi(createHttp({ ...common, ...local, countItems }), { hasExactFilters: true })
  }

  /** The same Http; an expired sign-in of a stored profile has a command that can queue its changes save them. */
  async #queueing(http: Http): Promise<Http> {
    const { profile } = this
    if (profile.kind !== 'stored' || !this.canQueue) return http
    const { withExpiredSignIn } = await import('../auth/expired-sign-in.js')
    const isCurrent = () => readProfiles(this.paths).current === profile.name
    return withExpiredSignIn(http, () => (isCurrent() ? undefined : profile.name))
  }

  async #createCatalog(): Promise<Catalog> {
    const [{ Catalog }, reference] = await Promise.all([import('../catalog/catalog.js'), this.reference()])
    const workspace = await this.#workspace
    return new Catalog(reference, {
      create: workspace?.createLink,
      prompts: async () => {
        const prompts = await this.prompts()
        if (!prompts) return undefined
        const { taskPrompts } = await import('../commands/shared/task-prompts.js')
        return taskPrompts(prompts, workspace !== undefined)
      },
      message: (text) => this.message(text),
    })
  }

  async #createReference(): Promise<Reference> {
    const [{ Reference }, api] = await Promise.all([import('../catalog/reference-data.js'), this.api()])
    return new Reference(api, {
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
    const [{ CircuitBreaker }, state] = await Promise.all([import('../api/circuit-breaker.js'), this.state()])
    return new CircuitBreaker({
      clock: this.host.now,
      memory: {
        read: () => (state.snapshot('reach')?.value ?? undefined) as CircuitRecord | undefined,
        write: (record) =>
          writeIfPossible(() => state.saveSnapshot('reach', record ?? null, this.host.now())),
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
      // The local workspace always answers.
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
      supportsKeys: () => this.#honoursKeys,
      warn: (text, nextStep) => this.warn(text, nextStep),
      warnAfterOutput: (text, nextStep) => this.warnAfterOutput(text, nextStep),
      warnStale: (error, known) => staleness?.note(error, known),
      showTimer,
    })
  }

  async #createExpenses(): Promise<Expenses> {
    const { Expenses } = await import('../entries/expenses.js')
    const [api, room, reference] = await Promise.all([this.api(), this.tracker(), this.reference()])
    return new Expenses({ ...room, api, reference, now: this.now })
  }

  #openWorkspace(): Promise<LocalWorkspace> {
    this.#workspace ??= this.#makeWorkspace()
    return this.#workspace
  }

  async #makeWorkspace(): Promise<LocalWorkspace> {
    const { openLocalWorkspace } = await import('../service/local-workspace.js')
    const path = workspacePath(this.paths)
    const workspace = await openLocalWorkspace(path, this.host.now, async () => {
      const { checkWorkspaceExists } = await import('../cache/lost-workspace.js')
      await checkWorkspaceExists(path, clientStatePath(this.paths, 'local'))
    })
    if (workspace.isNew) {
      this.warn(
        `Your time is kept on this machine, in the local workspace (${path}). ` +
          'To use a service instead, sign in with `tt login`.',
      )
    }
    return workspace
  }
}
