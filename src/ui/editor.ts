import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { errorMessage, TtError } from '../lib/errors.js'
import { splitCommand } from './split-command.js'

type Environment = Readonly<Record<string, string | undefined>>

/** A text in a file of its own, in a directory that is its owner's alone. */
export interface Draft {
  path: string
  /** What the file holds, each line ending in a newline alone; nothing where it was removed. */
  read(): string
  write(text: string): void
  remove(): void
}

/** Throws TtError `failure` where none can be made. */
export function createDraft(text: string, directory = tmpdir()): Draft {
  const path = createDraftFile(directory, text)
  return {
    path,
    // What editors on Windows put there besides what was typed.
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
    throw new TtError('failure', `No file to edit can be made in ${directory} (${reason}).`, {
      hint: 'Set TMPDIR to a directory that you can write to, or give what is to change as options.',
      cause: error,
    })
  }
}

/**
 * The commands to try, the best first: `VISUAL`, else `EDITOR`, else what the system has. They are split at spaces
 * outside quotes; a path with spaces that exists is one word. No shell is involved.
 */
export function editorCommands({ VISUAL, EDITOR }: Environment, platform = process.platform): string[][] {
  const chosen = [VISUAL, EDITOR].find((command) => command?.trim())?.trim()
  if (chosen !== undefined) return [existsSync(chosen) ? [chosen] : splitCommand(chosen)]
  return platform === 'win32' ? [['notepad']] : [['editor'], ['nano'], ['vi']]
}

/**
 * Has somebody edit the file in their editor, and resolves when that has ended. `leaveInterrupts` hands Ctrl-C over to
 * it, and answers what takes it back.
 *
 * Throws TtError `failure` when no editor can be started or it says that it failed, and `interrupted` when Ctrl-C has
 * ended it.
 */
export async function editFile(
  path: string,
  host: { env: Environment; stdout: { isTTY?: boolean }; leaveInterrupts(): () => void },
): Promise<void> {
  const restoreInterrupts = host.leaveInterrupts()
  try {
    const commands = editorCommands(host.env)
    for (const [program = '', ...args] of commands) {
      const exit = await runEditor(program, [...args, path], host)
      if (exit.error?.code === 'ENOENT' && commands.length > 1) continue
      if (exit.error) throw startError(program, exit.error)
      if (exit.signal === 'SIGINT' || exit.status === 130)
        throw new TtError('interrupted', 'Interrupted. Nothing was changed.')
      if (exit.status === 0) return
      const reason = exit.signal ? `was ended by ${exit.signal}` : `ended with status ${exit.status}`
      throw new TtError('failure', `The editor ${program} ${reason}. Nothing was changed.`)
    }
    throw new TtError('failure', 'No editor was found. Nothing was changed.', { hint: chooseEditor })
  } finally {
    restoreInterrupts()
  }
}

const chooseEditor = 'Set EDITOR to the command of one.'

function startError(program: string, error: NodeJS.ErrnoException): TtError {
  const reason = error.code === 'ENOENT' ? 'there is no such program' : (error.code ?? error.message)
  const hint = 'Set VISUAL or EDITOR to a command that is there; a path with spaces belongs in quotes.'
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

async function runEditor(
  program: string,
  args: string[],
  { env, stdout }: { env: Environment; stdout: { isTTY?: boolean } },
): Promise<EditorExit> {
  const { spawn } = await import('node:child_process')
  // What tt prints may go elsewhere; the editor needs the terminal.
  const child = spawn(program, args, { env, stdio: ['inherit', stdout.isTTY ? 'inherit' : 2, 'inherit'] })
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ status: null, signal: null, error }))
    child.once('close', (status, signal) => resolve({ status, signal }))
  })
}
