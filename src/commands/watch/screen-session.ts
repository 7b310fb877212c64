import type { Context } from '../../cli/context.js'
import { hostOf } from '../../config/profile.js'
import { EndedByInterrupt } from '../../lib/errors.js'
import type { Link } from '../../tracking/catalog/links.js'
import type { Entry } from '../../tracking/entries/entry.js'
import { canDrawUnicode } from '../../ui/charts/layout.js'
import { type Key, Keys, type WatchAction, watchKeyRows, watchKeys } from '../../ui/keys.js'
import { type Choice, Picker } from '../../ui/picker.js'
import { Screen } from '../../ui/screen.js'
import type { Style } from '../../ui/view.js'
import { type CommandRuns, commandsOf } from './commands.js'
import {
  entryChoice,
  type FrameInput,
  frameLines,
  maxScroll,
  type OpenPicker,
  type ScreenMessage,
} from './frame.js'
import { errorText, Watch } from './watch.js'
import { entriesOfToday, runningEntry } from './watch-state.js'

/** The signals that end the program by default, except Ctrl-C. */
const endingSignals = ['SIGTERM', 'SIGHUP'] as const
const undoHint = 'Press u to undo.'
/** The most messages that stay on the screen. */
const maxMessages = 8

/**
 * Shows the profile on the whole terminal until the user quits. Restores the terminal in every case. Throws
 * EndedByInterrupt after Ctrl-C.
 */
export async function showScreen(ctx: Context): Promise<void> {
  const { style } = await ctx.terminal.renderOptions()
  const session = new ScreenSession(ctx, style)
  await session.run()
}

/** An open picker, whose keys can confirm a change. */
interface ChoosingPicker extends OpenPicker {
  /** Returns the change that the key confirms. */
  press(key: Key): (() => Promise<unknown>) | undefined
}

/** A task to start, with the notes of the entry that it continues; or the text that names the one to create. */
export type TaskChoice = { link: Link; notes: string | undefined } | { created: string }

export type TaskPicker = Picker<TaskChoice>

/** The number of recent entries that are offered before all tasks. */
const maxRecent = 9

/** Returns a list of tasks with the recent ones. */
export function createTaskPicker(entries: readonly Entry[]): TaskPicker {
  return new Picker(recentChoices(entries), { hasNumbers: true })
}

/** Adds all tasks after the recent ones. */
export function addTasks(picker: TaskPicker, links: readonly Link[]) {
  const others = links.filter(({ active }) => active).map((link) => choiceOf(link, undefined))
  const known = new Set(picker.choices.map(keyOf))
  picker.add(others.filter((choice) => !known.has(keyOf(choice))))
}

/** Returns the tasks and notes of finished entries, the latest first, each once. */
function recentChoices(entries: readonly Entry[]): Choice<TaskChoice>[] {
  const choices = new Map<string, Choice<TaskChoice>>()
  for (const { link, notes, end } of [...entries].reverse()) {
    if (!link?.active || !end) continue
    const choice = choiceOf(link, notes || undefined)
    if (!choices.has(keyOf(choice))) choices.set(keyOf(choice), choice)
  }
  return [...choices.values()].slice(0, maxRecent)
}

function choiceOf(link: Link, notes: string | undefined): Choice<TaskChoice> {
  return { name: link.label, detail: notes, value: { link, notes } }
}

function keyOf({ value, detail = '' }: Choice<TaskChoice>): string {
  return 'link' in value ? `${value.link.id}\n${detail}` : value.created
}

class ScreenSession {
  readonly #ctx: Context
  readonly #style: Style
  readonly #watch: Watch
  readonly #screen: Screen
  readonly #keys: Keys
  readonly #commands: CommandRuns
  #end: (outcome: 'quit' | 'interrupt' | NodeJS.Signals) => void = () => {}
  #messages: ScreenMessage[] = []
  #picker: ChoosingPicker | undefined
  #scroll = 0
  #running = 0
  #isSuspended = false
  #isEditing = false
  #hasEnded = false

  constructor(ctx: Context, style: Style) {
    this.#ctx = ctx
    this.#style = style
    this.#watch = new Watch(ctx, {
      onRead: () => this.#draw(),
      onConnection: () => this.#draw(),
      onMessage: (message) => this.#show(message),
      onTick: () => this.#draw(),
    })
    this.#commands = commandsOf(this.#watch)
    this.#screen = new Screen(ctx.host.stdout, () => this.#end('quit'))
    this.#keys = new Keys(
      ctx.host.stdin,
      (key) => this.#press(key),
      () => this.#end('quit'),
    )
  }

  async run(): Promise<void> {
    const { host } = this.#ctx
    const ended = new Promise<'quit' | 'interrupt' | NodeJS.Signals>((resolve) => {
      this.#end = resolve
    })
    const interruption = host.interruption()
    interruption.addEventListener('abort', () => this.#end('interrupt'))
    const handlers = [
      ...endingSignals.map((signal) => host.on(signal, () => this.#end(signal))),
      host.on('SIGWINCH', () => this.#draw()),
      host.on('SIGCONT', () => this.#resume()),
      // A crash ends the process without the code below.
      host.on('exit', () => this.#restore()),
    ]
    let outcome: Awaited<typeof ended>
    try {
      // Reading the keys decides whether the terminal can be used at all.
      this.#keys.start()
      this.#screen.enter()
      if (this.#ctx.config.profile.hasDelivery) this.#screen.draw(['Waiting for the service …'])
      // A service that does not respond must not delay the end.
      await Promise.race([this.#watch.start(), ended])
      this.#draw()
      outcome = await ended
    } finally {
      this.#hasEnded = true
      this.#restore()
      for (const remove of handlers) remove()
      await this.#watch.close()
    }
    if (outcome === 'interrupt') throw new EndedByInterrupt()
    if (outcome !== 'quit') host.raise(outcome)
  }

  #restore() {
    this.#screen.leave()
    this.#keys.stop()
  }

  #suspend() {
    if (this.#isSuspended) return
    this.#isSuspended = true
    this.#restore()
    this.#ctx.host.raise('SIGTSTP')
  }

  #resume() {
    // The editor has the terminal.
    if (this.#isEditing) return
    this.#isSuspended = false
    // The shell has changed the modes of the terminal, also after SIGSTOP.
    this.#keys.stop()
    this.#keys.start()
    this.#screen.enter()
    // The terminal sends this to the process group in the foreground only. Streams read their size on it, so it must
    // come before the next lines: in a former, wider size they would wrap.
    this.#ctx.host.raise('SIGWINCH')
  }

  #draw() {
    const { state, connection } = this.#watch
    if (!state || this.#isSuspended) return
    const { columns, rows } = this.#screen
    const input: FrameInput = {
      ...{ state, connection, columns, rows },
      now: this.#ctx.host.now(),
      profile: profileText(this.#ctx),
      messages: this.#messages,
      isBusy: this.#running > 0,
      picker: this.#picker,
      scroll: this.#scroll,
      style: this.#style,
      unicode: canDrawUnicode(this.#ctx.host.env),
    }
    this.#scroll = Math.min(this.#scroll, maxScroll(input))
    this.#screen.draw(frameLines(input))
  }

  #show(message: ScreenMessage) {
    this.#messages = [...this.#messages, message].slice(-maxMessages)
    this.#draw()
  }

  #press(key: Key) {
    const name = 'name' in key ? key.name : 'text' in key ? key.text : ''
    if (name === 'ctrl-c') return this.#end('interrupt')
    if (name === 'ctrl-z') return this.#suspend()
    if (!this.#watch.state) {
      // Nothing is on the screen that a key could change.
      if (name === 'q') this.#end('quit')
      return
    }
    if (this.#picker) this.#pressInPicker(this.#picker, key, name)
    else this.#pressInList(name)
    this.#draw()
  }

  #pressInPicker(picker: ChoosingPicker, key: Key, name: string) {
    if (name === 'escape') {
      this.#picker = undefined
      return
    }
    const change = picker.press(key)
    if (!change) return
    this.#picker = undefined
    void this.#change(change)
  }

  #pressInList(name: string) {
    if (name === 'escape' || name === 'return') this.#messages = []
    const action = watchKeys.find(({ keys }) => keys.includes(name))?.action
    if (action) this.#actions[action](name)
  }

  readonly #actions: Record<WatchAction, (key: string) => void> = {
    chooseTask: () => this.#chooseTask(),
    stop: () => void this.#change(() => this.#commands.stop()),
    continue: () => void this.#change(() => this.#commands.continue()),
    edit: () => this.#chooseEntry(),
    undo: () => void this.#change(() => this.#commands.undo(), ''),
    scroll: (key) => {
      this.#scroll = Math.max(0, this.#scroll + (key === 'up' ? 1 : -1))
    },
    help: () => {
      this.#messages = watchKeyRows().map(({ term, meaning }) => ({
        kind: 'message',
        text: `${term.padEnd(10)}${meaning}`,
      }))
    },
    quit: () => this.#end('quit'),
  }

  #open<Value>(
    texts: Pick<OpenPicker, 'question' | 'action'>,
    picker: Picker<Value>,
    choose: (value: Value) => Promise<unknown>,
  ) {
    this.#messages = []
    this.#picker = {
      ...texts,
      picker,
      press(key) {
        const choice = picker.press(key)
        return choice && (() => choose(choice.value))
      },
    }
  }

  /** Edits the only entry of today, or the one that the user chooses. */
  #chooseEntry() {
    const { state } = this.#watch
    const entries = state ? entriesOfToday(state, this.#ctx.host.now()).reverse() : []
    const [only, ...others] = entries
    if (!only) this.#show({ kind: 'error', text: 'Nothing was tracked today.' })
    else if (others.length === 0) void this.#change(() => this.#edit(only))
    else {
      const choices = entries.map((entry) => ({ ...entryChoice(entry), value: entry }))
      const texts = { question: 'Edit which entry?', action: 'edit' }
      this.#open(texts, new Picker(choices, { hasNumbers: true }), (entry) => this.#edit(entry))
    }
  }

  /** Leaves the terminal to the editor until it ends. */
  async #edit(entry: Entry): Promise<unknown> {
    this.#isSuspended = true
    this.#isEditing = true
    this.#restore()
    try {
      return await this.#commands.edit(entry)
    } finally {
      this.#isEditing = false
      if (!this.#hasEnded) this.#resume()
    }
  }

  #chooseTask() {
    const { state } = this.#watch
    const picker = createTaskPicker(state?.entries ?? [])
    const question = state && runningEntry(state) ? 'Switch to which task?' : 'Start which task?'
    this.#open({ question, action: 'start' }, picker, (choice) => this.#commands.start(choice))
    this.#commands.tasks().then(
      ({ links, creation }) => {
        addTasks(picker, links)
        picker.createChoice = (typed) => {
          const task = creation(typed)
          return task && { name: `Create ${task.label}`, value: { created: typed } }
        }
        this.#draw()
      },
      (error: unknown) => this.#show({ kind: 'error', text: errorText(error) }),
    )
  }

  /** Runs a change and shows its messages, and how to undo it if it succeeds. One change runs at a time. */
  async #change(run: () => Promise<unknown>, hint = undoHint) {
    if (this.#running > 0) return
    this.#messages = []
    this.#scroll = 0
    this.#running++
    try {
      const value = await run()
      if (hint && value !== undefined) this.#show({ kind: 'message', text: hint })
    } catch (error) {
      this.#show({ kind: 'error', text: errorText(error) })
    } finally {
      this.#running--
      this.#draw()
    }
  }
}

function profileText({ config: { profile } }: Context): string {
  if (!profile.hasDelivery) return 'local workspace'
  return profile.isNamed ? profile.name : hostOf(profile)
}
