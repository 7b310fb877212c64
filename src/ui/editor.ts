import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { errorMessage, TtError } from '../lib/errors.js'
import { editorCommands } from './configured-commands.js'

type Environment = Readonly<Record<string, string | undefined>>

/** A temporary file with text, in a directory that only its owner can read. */
export interface Draft {
  path: string
  /** Returns the content with newlines as line ends; empty if the file was removed. */
  read(): string
  write(text: string): void
  remove(): void
}

/** Creates a draft. Throws TtError `failure` if the file cannot be created. */
export function createDraft(text: string, directory = tmpdir()): Draft {
  const path = createDraftFile(directory, text)
  return {
    path,
    // Editors on Windows add a byte order mark and carriage returns.
    read: () =>
      existsSync(path)
        ? readFileSync(path, 'utf8')
            .replace(/^\ufeff/, '')
            .replaceAll('\r\n', '\n')
        : '',
    write: (changed) => writeFileSync(path, changed, { mode: 0o600 }),
    remove: () => rmSync(dirname(path), { recursive: true, force: true }),
  }
}

function createDraftFile(directory: string, text: string): string {
  try {
    const path = join(mkdtempSync(join(directory, 'tt-edit-')), 'entries.txt')
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
    return path
  } catch (error) {
    const reason = errorMessage(error)
    throw new TtError('failure', `Cannot create a file to edit in ${directory} (${reason}).`, {
      hint: 'Set TMPDIR to a writable directory, or give the changes as options.',
      cause: error,
    })
  }
}

/** How long before its end Ctrl-C may have ended an editor that exits with 0, in milliseconds. Busy machines need a second. */
const interruptMs = 2000

/** How long after the end of the editor Ctrl-C may be received that ended it, in milliseconds. */
const lateInterruptMs = 50

interface EditorHost {
  env: Environment
  stdout: { isTTY?: boolean }
  now(): Date
  pause(ms: number): Promise<void>
  /** Leaves Ctrl-C to the editor, and only calls `notice`, until the returned function is called. */
  leaveInterrupts(notice: () => void): () => void
}

/**
 * Opens the file in the user's editor and resolves when the editor has ended, with whether Ctrl-C was probably the reason.
 * Until then, Ctrl-C goes to the editor.
 *
 * Throws TtError `failure` if no editor can be started or it fails, and `interrupted` if Ctrl-C ended it.
 */
export async function editFile(path: string, host: EditorHost): Promise<{ endedAfterInterrupt: boolean }> {
  let interruptedMs: number | undefined
  const restoreInterrupts = host.leaveInterrupts(() => {
    interruptedMs = host.now().getTime()
  })
  try {
    const commands = editorCommands(host.env)
    for (const [program = '', ...args] of commands) {
      const exit = await runEditor(program, [...args, path], host)
      if (exit.error?.code === 'ENOENT' && commands.length > 1) continue
      if (exit.error) throw startError(program, exit.error)
      if (exit.signal === 'SIGINT' || exit.status === 130)
        throw new TtError('interrupted', 'Interrupted. Nothing was changed.')
      if (exit.status === 0) {
        // Ctrl-C was sent to both, but a busy machine may tell the end of the editor first.
        if (interruptedMs === undefined) await host.pause(lateInterruptMs)
        const sinceMs = interruptedMs === undefined ? undefined : host.now().getTime() - interruptedMs
        return { endedAfterInterrupt: sinceMs !== undefined && sinceMs < interruptMs }
      }
      const reason = exit.signal ? `was ended by ${exit.signal}` : `ended with status ${exit.status}`
      throw new TtError('failure', `The editor ${program} ${reason}. Nothing was changed.`)
    }
    throw new TtError('failure', 'No editor was found. Nothing was changed.', { hint: noEditorHint })
  } finally {
    restoreInterrupts()
  }
}

const noEditorHint = 'Set EDITOR to the command of an editor.'

function startError(program: string, error: NodeJS.ErrnoException): TtError {
  const reason = error.code === 'ENOENT' ? 'there is no such program' : (error.code ?? error.message)
  const hint = 'Set VISUAL or EDITOR to an existing command; put a path with spaces in quotes.'
  return new TtError('failure', `The editor ${program} cannot be started: ${reason}. Nothing was changed.`, {
    hint,
    cause: error,
  })
}

interface EditorExit {
  status: number | null
  signal: NodeJS.Signals | null
  error?: NodeJS.ErrnoException
}

async function runEditor(program: string, args: string[], { env, stdout }: EditorHost): Promise<EditorExit> {
  // stdout may be redirected; the editor needs the terminal.
  const child = spawn(program, args, { env, stdio: ['inherit', stdout.isTTY ? 'inherit' : 2, 'inherit'] })
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ status: null, signal: null, error }))
    child.once('close', (status, signal) => resolve({ status, signal }))
  })
}
