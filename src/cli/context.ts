import type { Api } from '../api-client/api.js'
import type { Account } from '../api-client/auth/account.js'
import type { CircuitBreaker } from '../api-client/http/circuit-breaker.js'
import { workspacePath } from '../config/paths.js'
import type { StoredAccount } from '../config/profile.js'
import { sendSettings } from '../config/settings/settings.js'
import type { DurationDisplay } from '../lib/calendar/duration-display.js'
import { TtError } from '../lib/errors.js'
import { once } from '../lib/once.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { type ClientState, writeIfPossible } from '../outbox/cache/client-state.js'
import type { Staleness } from '../outbox/cache/staleness.js'
import type { LocalWorkspace } from '../service/local-workspace.js'
import type { ConnectionOptions } from '../service/storage/postgres/pool.js'
import type { Storage } from '../service/storage/storage.js'
import type { Catalog } from '../tracking/catalog/catalog.js'
import type { ReferenceReader } from '../tracking/catalog/reference-data.js'
import type { Tracker } from '../tracking/entries/create-tracker.js'
import type { Entries } from '../tracking/entries/entries.js'
import type { EntryWriter } from '../tracking/entries/entry-writer.js'
import type { Expenses } from '../tracking/entries/expenses/expenses.js'
import type { TimerControl } from '../tracking/entries/timer-control.js'
import { formatFor } from '../ui/formats/render.js'
import { escapeLines } from '../ui/text.js'
import type { ShowTimer } from './context/prompt-file.js'
import {
  createCatalog,
  createReferenceReader,
  createShowTimer,
  createTracker,
} from './context/services/create-tracker.js'
import { openState, openWorkspace, openWorkspaceDatabase } from './context/services/open-workspace.js'
import type { CommonOptions, OutputOptions, Terminal } from './context/terminal.js'
import { UserConfig } from './context/user-config.js'
import type { AfterOutput, Resources } from './context/with-context.js'
import { HookQueue } from './hooks/hook-queue.js'
import type { Host } from './host.js'

/** What the command runner creates and completes for a command. */
export interface ContextParts {
  host: Host
  options: CommonOptions & OutputOptions
  terminal: Terminal
  afterOutput: AfterOutput
  resources: Resources
  /** Whether the command changes entries or expenses, which it saves if the sign-in has expired. */
  canQueue?: boolean
  /** Whether this process sends changes of other commands in the background, where no user waits for it. */
  isBackground?: boolean
  /** Whether the command warns and uses the default settings when `config.json` cannot be read, instead of failing. */
  allowsUnreadableSettings?: boolean
  /** See `Invocation`. */
  nameOption?: (flag: string) => string
}

/**
 * What a command works with: the terminal, the configuration and the services of the program. Each service is created on
 * first use, so that a command loads no others. The command runner creates the context and closes what it opened.
 */
export class Context {
  readonly host: Host
  readonly options: CommonOptions & OutputOptions
  readonly terminal: Terminal
  readonly afterOutput: AfterOutput
  readonly config: UserConfig
  readonly canQueue: boolean
  readonly isBackground: boolean
  /** Returns how messages name an option such as `--port`: as it was typed, set or passed. */
  readonly nameOption: (flag: string) => string
  /** The hooks of the user, which run after the output. */
  readonly hooks: HookQueue
  /** The time at which the command was typed, the same for everything it does. */
  readonly now: Date
  /** What the responses to this process say about the service. */
  readonly serviceFacts = {
    ...{ supportsKeys: false, supportsConditions: false },
    clockOffsetMs: undefined as number | undefined,
  }
  readonly #parts: ContextParts

  constructor(parts: ContextParts) {
    const {
      host,
      options,
      terminal,
      canQueue = false,
      isBackground = false,
      allowsUnreadableSettings = false,
      nameOption = (flag: string) => flag,
    } = parts
    this.#parts = parts
    this.host = host
    this.options = options
    this.terminal = terminal
    this.afterOutput = parts.afterOutput
    this.config = new UserConfig({ host, options, terminal, allowsUnreadableSettings })
    this.canQueue = canQueue
    this.isBackground = isBackground
    this.nameOption = nameOption
    this.now = host.now()
    this.hooks = new HookQueue(this)
  }

  /** How durations are displayed. */
  get durations(): DurationDisplay {
    return this.config.durations
  }

  /** When the changes of the command are sent. Throws TtError `usage` for an invalid TT_SEND. */
  readonly sendMode = once(async (): Promise<SendMode> => {
    const { host, options, config } = this
    if (!config.profile.hasDelivery) return 'wait'
    const { stdin, stdout, stderr, env, pid = 0 } = host
    return sendModeOf({
      isTerminal: {
        stdin: () => stdin.isTTY === true,
        stdout: () => stdout.isTTY === true,
        stderr: () => stderr.isTTY === true,
      },
      hasDataOutput: options.usesValue === true || formatFor(options, true) !== 'table',
      ...{ input: options.input !== false, wait: options.wait === true, env, pid },
      setting: await config.uncheckedSetting('send'),
    })
  })

  /** Lets another process send the pending changes after the output of the command; once. */
  readonly sendLater = once(() => {
    this.afterOutput.runAlways(async () => {
      const { startDelivery } = await import('./background/start.js')
      if (!startDelivery(this)) await (await this.tracker()).changes.deliverInstead()
    })
  })

  /** The API of the service or of the local workspace. */
  readonly api = once(async (): Promise<Api> => {
    const { createProfileApi } = await import('./context/services/create-api.js')
    return createProfileApi(this)
  })

  /** Clients, projects and tasks by name. */
  readonly catalog = once((): Promise<Catalog> => createCatalog(this))

  /** Reference data: clients, projects, tasks, links and the company. */
  readonly reference = once((): Promise<ReferenceReader> => createReferenceReader(this))

  /** Warns once per command that the output is cached data. */
  readonly staleness = once(async (): Promise<Staleness> => {
    const { Staleness } = await import('../outbox/cache/staleness.js')
    return new Staleness({ now: this.now, warn: (text) => this.terminal.warn(text) })
  })

  /** The tracker: entries, outbox and delivery. */
  readonly tracker = once((): Promise<Tracker> => createTracker(this))

  readonly expenses = once(async (): Promise<Expenses> => {
    const { Expenses } = await import('../tracking/entries/expenses/expenses.js')
    const [api, tracker, reference] = await Promise.all([this.api(), this.tracker(), this.reference()])
    return new Expenses({ ...tracker, api, reference, now: this.now })
  })

  /** The circuit breaker of the service; undefined in the local workspace. */
  readonly circuitBreaker = once(async () =>
    this.config.profile.hasDelivery ? createCircuitBreaker(this) : undefined,
  )

  /** The database of the local workspace. */
  readonly database = once((): Promise<Sqlite> => this.#parts.resources.add(openWorkspaceDatabase(this)))

  /** The client state of the profile: cached data and pending changes. */
  readonly state = once((): Promise<ClientState> => this.#parts.resources.add(openState(this)))

  /** The local workspace. */
  readonly workspace = once((): Promise<LocalWorkspace> => this.#parts.resources.add(openWorkspace(this)))

  /** The signed-in account; undefined in the local workspace and for TT_TOKEN. */
  readonly account = once(async (): Promise<Account | undefined> => {
    const { signIn } = this.config.profile
    return signIn && this.openAccount(signIn)
  })

  async entries(): Promise<Entries> {
    return (await this.tracker()).entries
  }

  async entryWriter(): Promise<EntryWriter> {
    return (await this.tracker()).entryWriter
  }

  async timerControl(): Promise<TimerControl> {
    return (await this.tracker()).timerControl
  }

  /** Returns the function that updates the prompt file. */
  showTimer(): Promise<ShowTimer> {
    return createShowTimer(this)
  }

  /** Opens the database at this location, or that of the local workspace if it is undefined. */
  async storage(location: string | undefined, options: ConnectionOptions = {}): Promise<Storage> {
    if (location === undefined) {
      const { createDisk } = await import('../service/storage/disk.js')
      return { ...(await this.workspace()).storage, disk: createDisk(workspacePath(this.config.paths)) }
    }
    const { openTeamStorage } = await import('../service/admin/bootstrap.js')
    return this.#parts.resources.add(openTeamStorage(location, options)).catch((error: unknown) => {
      if (!(error instanceof TtError) || error.code !== 'usage') throw error
      throw new TtError('usage', `${this.nameOption('--database')}: ${error.message}`, error)
    })
  }

  async openAccount(profile: StoredAccount): Promise<Account> {
    const { openAccount } = await import('../api-client/auth/account.js')
    return openAccount(profile, {
      ...this.requestOptions(),
      paths: this.config.paths,
      clock: this.host.now,
      isAttended: this.terminal.isInteractive,
    })
  }

  /** Returns the user agent for requests, and with --debug a function that prints their trace. */
  requestOptions(): { userAgent: string; trace?: (line: string) => void } {
    const trace = (line: string) => void this.host.stderr.write(escapeLines(line))
    return { userAgent: 'tt', ...(this.options.debug ? { trace } : {}) }
  }

  /** Returns a context of the same command for another profile; its warnings and resources are those of this command. */
  forProfile(profile: string): Context {
    return new Context({ ...this.#parts, options: { ...this.options, profile } })
  }
}

/** Creates the circuit breaker of the service, which the client state stores for later commands. */
async function createCircuitBreaker({
  host,
  state: openState,
  isBackground,
}: Context): Promise<CircuitBreaker> {
  const [{ CircuitBreaker }, state] = await Promise.all([
    import('../api-client/http/circuit-breaker.js'),
    openState(),
  ])
  return new CircuitBreaker({
    clock: host.now,
    isPatient: isBackground,
    memory: {
      read: () => state.snapshot('circuit_breaker')?.value ?? undefined,
      write: (record) =>
        writeIfPossible(() => state.saveSnapshot('circuit_breaker', record ?? null, host.now())),
    },
  })
}

/**
 * Whether a command that changes records returns once its changes are saved, while another process sends them
 * (`background`), or when the service has responded (`wait`).
 */
type SendMode = 'background' | 'wait'

/** Everything that decides the mode of a command. */
export interface SendSituation {
  /** Whether each of the standard streams is a terminal. */
  isTerminal: { stdin(): boolean; stdout(): boolean; stderr(): boolean }
  /** Whether the output is data: `--json`, another format, or a value for a program in this process. */
  hasDataOutput: boolean
  /** False with --no-input. */
  input: boolean
  /** Whether `--wait` was given. */
  wait: boolean
  env: Readonly<Record<string, string | undefined>>
  /** The value of the setting `send`, unchecked. */
  setting: unknown
  /** The ID of this process: the first one of a container ends all others when it ends. */
  pid: number
}

/** Returns the mode of a command. Throws TtError `usage` for another value of TT_SEND. */
export function sendModeOf({
  isTerminal,
  hasDataOutput,
  input,
  wait,
  env,
  setting,
  pid,
}: SendSituation): SendMode {
  const typed = env.TT_SEND || undefined
  if (typed !== undefined && !sendSettings.some((known) => known === typed))
    throw new TtError('usage', `TT_SEND is "${typed}".`, { hint: 'Set it to auto or wait, or unset it.' })
  const isScript = hasDataOutput || !input || wait || Boolean(env.CI) || Boolean(env.TT_TOKEN) || pid === 1
  if (isScript || (typed ?? setting) === 'wait') return 'wait'
  return isTerminal.stderr() && isTerminal.stdout() && isTerminal.stdin() ? 'background' : 'wait'
}
